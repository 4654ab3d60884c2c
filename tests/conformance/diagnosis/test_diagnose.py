"""A gradient that differs from the reference VJP is a failure only where the engine is wrong, by diagnostics that use no rule."""

from __future__ import annotations

import datetime
from dataclasses import replace
from typing import Any, ClassVar

import msgspec
import numpy as np
import pytest
from conformance_backends import numpy_engine as engine
from conformance_backends.numpy_backend import NumpyTape

from conformance.backend import Backend, Capability
from conformance.case import Case
from conformance.checks import load_all
from conformance.checks.observation import Observation, Oracle
from conformance.diagnosis.worst_entry import WorstEntry, worst_entry_in
from conformance.ops import CATALOGUE, find
from conformance.oracle.derivative import REAL
from conformance.questions import Item
from conformance.questions.cases import CaseQuestion
from conformance.run.execute import Executor, result_of
from conformance.run.failure_text import failure_text
from conformance.runfile.diagnostics import Agreement, DiagnosedViolation, Diagnostic, Fault
from conformance.runfile.jsonl import decode, encode
from conformance.runfile.known import KnownFailure, judge
from conformance.runfile.records import Evidence, ResultLine, Verdict
from conformance.strategies import Effort, draw_cases

EFFORT = Effort(signatures=3, draws=2, samples=2, programs=3)
RULELESS = ("conditioning", "complex step", "value", "engine's differences")
DIAGNOSTICS = (*RULELESS, "forward mode")


def asked(backend: Backend, op: str = "tanh", check: str = "op/vjp", dtype: str = "float64") -> ResultLine:
    executor = Executor(backend, seed=0, effort=EFFORT)
    (line,) = executor.results([Item(backend.name, check, op, dtype)])
    return line


def evidence(line: ResultLine) -> Evidence:
    assert line.evidence is not None
    return line.evidence


def sides(line: ResultLine) -> list[Agreement]:
    return [diagnostic.agrees_with for diagnostic in evidence(line).diagnostics]


def calling(name: str, function: Any) -> NumpyTape:
    """An adapter that has `function` for the op `name`."""
    return type("Calling", (NumpyTape,), {"ops": {**NumpyTape.ops, name: function}})()


@pytest.fixture
def wrong_rule(monkeypatch: pytest.MonkeyPatch) -> None:
    """A catalogue in which the rule of tanh has the slope of another function; the engine keeps its own."""
    row = CATALOGUE["tanh"]
    planted = replace(row, rule=lambda i, g, z, x: g * (1 - z))
    monkeypatch.setattr(
        "conformance.questions.cases.find", lambda name: planted if name == "tanh" else find(name)
    )


# ---- who is wrong -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("dtype", "check"), [("float64", "op/vjp"), ("float32", "op/vjp"), ("float16", "op/half-precision")]
)
def test_a_wrong_gradient_of_the_right_function_is_the_engine_s(dtype: str, check: str) -> None:
    wrong = calling("tanh", engine.custom(np.tanh, lambda g, x: [g * (1 - np.tanh(x))]))
    line = asked(wrong, check=check, dtype=dtype)
    assert line.verdict is Verdict.FAIL
    assert evidence(line).fault == Fault.ENGINE
    assert tuple(w.name for w in evidence(line).diagnostics) == DIAGNOSTICS
    # The reference engine's forward mode transposes its own rules, so that it is as wrong as they are.
    assert sides(line) == [*[Agreement.RULE] * 4, Agreement.ENGINE]


def test_an_engine_without_a_forward_mode_is_judged_without_it() -> None:
    class OneWay(NumpyTape):
        capabilities: ClassVar[frozenset[Capability]] = NumpyTape.capabilities - {Capability.FORWARD}
        ops: ClassVar[dict[str, Any]] = {
            **NumpyTape.ops, "tanh": engine.custom(np.tanh, lambda g, x: [g * 7])
        }  # fmt: skip

    line = asked(OneWay())
    assert evidence(line).fault == Fault.ENGINE
    assert tuple(w.name for w in evidence(line).diagnostics) == RULELESS


def test_a_forward_mode_that_disagrees_with_the_gradient_is_reported() -> None:
    class Pushing(NumpyTape):
        ops: ClassVar[dict[str, Any]] = {
            **NumpyTape.ops, "tanh": engine.custom(np.tanh, lambda g, x: [g * 7])
        }  # fmt: skip

        def jvp(self, function: Any, operands: Any, tangents: Any) -> Any:
            (x,), (t,) = operands, tangents
            return (np.tanh(x),), (engine.Tensor(t * (1 - np.tanh(x) ** 2)),)

    assert evidence(asked(Pushing())).diagnostics[-1].agrees_with is Agreement.RULE


def test_a_forward_mode_that_raises_cannot_tell() -> None:
    class Refusing(NumpyTape):
        ops: ClassVar[dict[str, Any]] = {
            **NumpyTape.ops, "tanh": engine.custom(np.tanh, lambda g, x: [g * 7])
        }  # fmt: skip

        def jvp(self, function: Any, operands: Any, tangents: Any) -> Any:
            raise NotImplementedError

    assert evidence(asked(Refusing())).diagnostics[-1].line == (
        "forward mode: the engine raised NotImplementedError where it pushes a tangent (does not decide)"
    )


def test_a_slip_that_has_a_name_is_named_in_the_failure() -> None:
    doubled = calling("tanh", engine.custom(np.tanh, lambda g, x: [2 * g * (1 - np.tanh(x) ** 2)]))
    line = asked(doubled)
    assert evidence(line).pattern == "what is expected times 2"
    text = failure_text(line, None)
    assert "\n  pattern what is expected times 2\n" in text
    assert f"\n  claim   {load_all()[line.check_key].claim}\n  clause  " in text


def test_a_case_too_long_for_a_command_is_named_by_its_id() -> None:
    line = asked(calling("tanh", NumpyTape.ops["sin"]))
    assert f"again   conformance replay {evidence(line).token} --on" in failure_text(line, None)
    large = msgspec.structs.replace(evidence(line), token="c1:" + "x" * 700_000)
    text = failure_text(msgspec.structs.replace(line, evidence=large), None)
    assert f"again   conformance replay {line.id} --run " in text
    assert max(map(len, text.splitlines())) < 2000


def test_a_gradient_off_by_some_hundred_ulp_is_the_engine_s() -> None:
    loose = calling("tanh", engine.custom(np.tanh, lambda g, x: [g * (1 - np.tanh(x) ** 2) * (1 + 1e-13)]))
    line = asked(loose)
    assert line.verdict is Verdict.FAIL
    assert sides(line) == [
        Agreement.RULE,
        Agreement.RULE,
        Agreement.RULE,
        Agreement.UNKNOWN,
        Agreement.ENGINE,
    ]


def test_a_gradient_that_is_dropped_is_the_engine_s() -> None:
    class Dropping(NumpyTape):
        def grad(self, leaf: Any) -> Any:
            return None

    line = asked(Dropping())
    assert (line.verdict, evidence(line).fault) == (Verdict.FAIL, Fault.ENGINE)


def test_an_adapter_that_calls_another_function_is_not_counted_against_the_engine() -> None:
    line = asked(calling("tanh", NumpyTape.ops["sin"]))
    assert line.verdict is Verdict.ADAPTER_ERROR
    assert evidence(line).fault == Fault.ADAPTER
    assert sides(line) == [
        Agreement.RULE,
        Agreement.RULE,
        Agreement.NEITHER,
        Agreement.ENGINE,
        Agreement.ENGINE,
    ]
    assert "the adapter calls another function" in evidence(line).message
    assert (
        "the engine's value is wrong (op/tanh/value), and its gradient follows that" in evidence(line).message
    )


@pytest.mark.parametrize("axis", [-1, 0])
def test_a_value_that_is_wrong_along_long_axes_alone_is_the_engine_s(axis: int) -> None:
    def in_blocks(x: Any, axis: int) -> Any:
        """A running sum that begins anew behind 16 entries."""
        right = NumpyTape.ops["cumulative_sum"]
        if not x.ndim or x.shape[axis] <= 16:
            return right(x, axis=axis)
        index = [slice(None)] * x.ndim
        parts = []
        for part in (slice(None, 16), slice(16, None)):
            index[axis] = part
            parts.append(right(NumpyTape.ops["getitem"](x, index=tuple(index)), axis=axis))
        return NumpyTape.ops["concat"](*parts, axis=axis)

    backend = calling("cumulative_sum", in_blocks)
    x = np.linspace(-1, 2, 3 * 20).reshape((3, 20) if axis else (20, 3))
    case = Case("cumulative_sum", (x,), {"axis": axis}, (np.cos(x),), ("C", "C"), "float64")
    line = result_of(load_all()["op/vjp"], backend, CaseQuestion(case))
    assert (line.verdict, evidence(line).fault) == (Verdict.FAIL, Fault.ENGINE)


def other_channels(x: Any, upscale_factor: int) -> Any:
    """A pixel_shuffle that takes each r² channels from all over the image: equal numbers show no difference."""
    r, (n, c, height, width) = upscale_factor, x.shape
    parts = np.reshape(x, shape=(n, r, r, c // r**2, height, width))
    return np.reshape(
        np.permute_dims(parts, axes=(0, 3, 4, 1, 5, 2)), shape=(n, c // r**2, height * r, width * r)
    )


def test_a_value_that_is_right_where_entries_are_equal_hides_no_adapter() -> None:
    image, cotangent = np.ones((1, 8, 1, 1)), np.arange(8.0).reshape(1, 2, 2, 2)
    case = Case("pixel_shuffle", (image,), {"upscale_factor": 2}, (cotangent,), ("C", "C"), "float64")
    line = result_of(load_all()["op/vjp"], calling("pixel_shuffle", other_channels), CaseQuestion(case))
    assert line.verdict is Verdict.ADAPTER_ERROR
    assert evidence(line).diagnostics[2].agrees_with is Agreement.NEITHER
    assert "elsewhere" in evidence(line).diagnostics[2].says


def other_signs(x: Any) -> Any:
    """Eigenvectors of the other sign; one triangle is read, as LAPACK does, and the gradient is of both."""
    read = engine.custom(lambda a: np.tril(a) + np.tril(a, -1).T, lambda g, a: [g])
    values, vectors = NumpyTape.ops["eigh"](read(x))
    return values, NumpyTape.ops["negative"](vectors)


@pytest.mark.parametrize("place", [(0, 0), (0, 1), (1, 1)])
def test_signs_of_an_adapter_that_reads_one_triangle_are_not_counted_against_the_engine(
    place: tuple[int, int],
) -> None:
    matrix = np.array([[4.0, 1.0, 0.5], [1.0, 4.0, -0.5], [0.5, -0.5, 4.0]])
    cotangent = np.zeros((3, 3))
    cotangent[place] = 1
    case = Case("eigh", (matrix,), {}, (np.zeros(3), cotangent), ("C",), "float64")
    line = result_of(load_all()["op/vjp"], calling("eigh", other_signs), CaseQuestion(case))
    assert line.verdict is Verdict.ADAPTER_ERROR
    assert evidence(line).diagnostics[3].agrees_with is Agreement.ENGINE


def test_an_op_that_is_another_one_far_out_alone_is_the_engine_s() -> None:
    far = engine.custom(lambda x: np.where(abs(x) > 64, 3 * x, np.tanh(x)),
                        lambda g, x: [g * np.where(abs(x) > 64, 3, 1 - np.tanh(x) ** 2)])  # fmt: skip
    line = asked(calling("tanh", far), check="op/magnitudes")
    assert (line.verdict, evidence(line).fault) == (Verdict.FAIL, Fault.ENGINE)


def test_a_wrong_gradient_of_another_function_is_the_engine_s() -> None:
    line = asked(calling("tanh", engine.custom(np.sin, lambda g, x: [g * np.exp(x)])))
    assert (line.verdict, evidence(line).fault) == (Verdict.FAIL, Fault.ENGINE)


@pytest.mark.usefixtures("wrong_rule")
def test_a_wrong_rule_is_ours_and_not_counted_against_the_engine() -> None:
    line = asked(NumpyTape())
    assert line.verdict is Verdict.ADAPTER_ERROR
    assert evidence(line).fault == Fault.RULE
    assert sides(line) == [
        Agreement.RULE,
        Agreement.ENGINE,
        Agreement.RULE,
        Agreement.ENGINE,
        Agreement.ENGINE,
    ]
    assert "please report this case to this project" in evidence(line).message


@pytest.mark.usefixtures("wrong_rule")
def test_a_wrong_rule_excuses_no_wrong_engine() -> None:
    line = asked(calling("tanh", engine.custom(np.tanh, lambda g, x: [g * 3])))
    assert (line.verdict, evidence(line).fault) == (Verdict.FAIL, Fault.ENGINE)


# ---- where the case decides nothing, or nobody can tell -------------------------------------------------


def case_of(op: str, *operands: list[float]) -> Case:
    given = tuple(np.array(x) for x in operands)
    return Case(op, given, {}, (np.ones(given[0].shape),), ("C",) * (len(given) + 1), "float64")


BESIDE = [5e-324] * 20  # the smallest number there is: an ulp below it is relu's kink


def test_a_case_whose_rule_jumps_within_an_ulp_is_ill_conditioned_and_decides_nothing() -> None:
    """A few trials of rounding do not reach the kink from every entry; those that are enough do."""
    wrong = calling("relu", engine.custom(lambda x: np.maximum(x, 0), lambda g, x: [g * 0]))
    line = result_of(load_all()["op/vjp"], wrong, CaseQuestion(case_of("relu", BESIDE)))
    assert line.verdict is Verdict.UNDECIDED
    assert line.cases == 0
    assert line.accuracy is None
    assert "ill-conditioned: rounding explains up to" in evidence(line).message


def test_an_ill_conditioned_case_does_not_hide_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = calling("relu", engine.custom(lambda x: np.maximum(x, 0), lambda g, x: [g * 0]))
    cases = [case_of("relu", BESIDE), case_of("relu", [2.0])]
    monkeypatch.setattr("conformance.questions.cases.draw_cases", lambda *given: cases)
    executor = Executor(wrong, seed=0, effort=EFFORT, shrink=False)
    (line,) = executor.results([Item("x", "op/vjp", "relu", "float64")])
    assert (line.verdict, line.cases) == (Verdict.FAIL, 1)


def test_at_a_kink_no_diagnostic_decides_and_the_proof_of_the_row_stands() -> None:
    wrong = calling("abs", engine.custom(np.abs, lambda g, x: [g * 100]))
    line = result_of(load_all()["op/vjp"], wrong, CaseQuestion(case_of("abs", [0.0])))
    assert line.verdict is Verdict.FAIL
    assert evidence(line).fault == Fault.ENGINE
    assert sides(line)[1] is Agreement.UNKNOWN


def test_an_engine_that_refuses_beside_the_case_is_a_diagnostic_that_does_not_decide() -> None:
    class Narrow(NumpyTape):
        ops: ClassVar[dict[str, Any]] = {
            **NumpyTape.ops, "tanh": engine.custom(np.tanh, lambda g, x: [g * 7])
        }  # fmt: skip

        def forward(self, function: Any, operands: Any) -> Any:
            raise ValueError("not here")

    line = asked(Narrow())
    assert line.verdict is Verdict.FAIL
    assert evidence(line).diagnostics[3].line == (
        "engine's differences: the engine raised ValueError beside the case (does not decide)"
    )


def test_a_check_that_uses_no_rule_hears_no_diagnostic() -> None:
    line = asked(calling("tanh", NumpyTape.ops["sin"]), check="op/value")
    assert (line.verdict, evidence(line).fault, evidence(line).diagnostics) == (Verdict.FAIL, "", ())


# ---- one diagnostic ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("slope", "doubt", "side"),
    [
        (1.0, 0.0, Agreement.RULE),
        (2.0, 0.0, Agreement.ENGINE),
        (3.0, 0.0, Agreement.NEITHER),
        (1.5, 1.0, Agreement.UNKNOWN),
        (1.0, np.inf, Agreement.UNKNOWN),
        (np.nan, 0.0, Agreement.UNKNOWN),
    ],
)
def test_a_slope_agrees_with_whom_it_is_near(slope: float, doubt: float, side: Agreement) -> None:
    (case, *_) = draw_cases(find("tanh"), "float64", 0, EFFORT)
    seen = Observation(NumpyTape(), Oracle(find("tanh"), case))
    worst = WorstEntry(seen, 0, (), REAL(2), REAL(1), REAL(1e-12))
    assert worst.agreement_of(REAL(slope), REAL(doubt)) is side


def test_an_engine_that_says_no_number_is_agreed_with_by_nobody() -> None:
    (case, *_) = draw_cases(find("tanh"), "float64", 0, EFFORT)
    seen = Observation(NumpyTape(), Oracle(find("tanh"), case))
    worst = WorstEntry(seen, 0, (), REAL(np.nan), REAL(1), REAL(1e-12))
    assert worst.agreement_of(REAL(1), REAL(0)) is Agreement.RULE
    assert np.isinf(worst.difference)


def test_an_engine_that_is_right_has_no_worst_entry() -> None:
    for case in draw_cases(find("tanh"), "float64", 0, EFFORT):
        assert worst_entry_in(Observation(NumpyTape(), Oracle(find("tanh"), case))) is None


# ---- what is reported --------------------------------------------------------------------------------------


def test_the_failure_tells_its_diagnostics_in_a_line_each() -> None:
    text = failure_text(asked(calling("tanh", NumpyTape.ops["sin"])), None)
    assert "  fault   adapter wrong, by the diagnostics" in text
    assert text.count("\n  diagnostic ") == 5
    assert "(agrees with the rule)" in text


def test_a_known_failure_stays_known_whoever_is_wrong() -> None:
    line = asked(calling("tanh", NumpyTape.ops["sin"]))
    today = datetime.date(2026, 6, 1)
    assert judge(line, [KnownFailure("*", "because")], today).verdict is Verdict.KNOWN


def test_a_diagnosis_comes_back_as_it_was_written_and_may_be_missing() -> None:
    line = asked(calling("tanh", NumpyTape.ops["sin"]))
    again = decode(encode(line))
    assert isinstance(again, ResultLine)
    assert evidence(again).diagnostics == evidence(line).diagnostics
    assert msgspec.json.decode(b'{"message": "m"}', type=Evidence).diagnostics == ()
    assert Diagnostic("value", "it is", Agreement.NEITHER).line == "value: it is (agrees with neither)"


def test_where_neighbours_have_any_value_no_difference_is_taken_for_the_slope() -> None:
    """Differences of a cosine far out are zero beside its slope: an engine's zero there is not the reference's slope."""
    right = find("cos")

    def zero_far_out(i: int, g: Any, z: Any, x: Any) -> Any:
        return np.where(np.abs(engine.detach(x)) > 1e30, 0.0, -1.0) * g * np.sin(x)

    backend = calling("cos", lambda x: engine.apply(replace(right, rule=zero_far_out), (x,), {}))
    drawn = draw_cases(right, "float64", 0, EFFORT)[0]
    case = replace(
        drawn, operands=(np.array([-4.8599611456893733e70, 1.0]),), cotangents=(np.array([-1.25, 1.0]),)
    )
    question = CaseQuestion(case)
    with pytest.raises(DiagnosedViolation) as raised:
        question.run(load_all()["op/vjp"], question.on(backend))
    assert raised.value.fault is Fault.ENGINE
    assert [diagnostic.agrees_with for diagnostic in raised.value.diagnostics[1:4:2]] == [
        Agreement.UNKNOWN
    ] * 2
