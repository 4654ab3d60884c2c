"""Are failures with one cause one entry, and is the worst first?"""

from __future__ import annotations

import datetime
from typing import Any

import pytest
from msgspec import structs

from conformance.clauses.standard import STANDARD
from conformance.cli.pages.run_end import lines_of
from conformance.runfile.causes import causes_of
from conformance.runfile.diagnostics import Fault
from conformance.runfile.known import KnownFailure, judge
from conformance.runfile.records import BackendLine, Evidence, ResultLine, Verdict
from conformance.runfile.severity import Severity, failed_as, severity_of

from .drawn_runs import HEADER

NEVER = datetime.date(2000, 1, 1)
TORN = BackendLine("torn", "torn", "2.0"), BackendLine("torn.func", "torn", "2.0")


def failure(
    op: str, check: str = "vjp", verdict: Verdict = Verdict.FAIL, *, backend: str = "torn", **evidence: Any
) -> ResultLine:
    said = {"message": "the gradient of operand 0 differs from the reference VJP"} | evidence
    return ResultLine(
        f"{backend}/op/{op}/{check}/float64", backend, "op", op, check, "E1", "must", "float64", verdict, 1, 0.0,
        evidence=Evidence(**said),
    )  # fmt: skip


def off(op: str, by: float, check: str = "vjp", **more: Any) -> ResultLine:
    return failure(op, check, expected=[1.0, 2.0], got=[1.0, 2.0 + by], where="[1]", **more)


def test_an_error_is_one_cause_in_all_checks_dtypes_and_modes() -> None:
    lines = [
        failure("inv", check, Verdict.ERROR, backend=mode, message=f"NotImplementedError: VJP of inv wrt {n}")
        for n, (check, mode) in enumerate([("vjp", "torn"), ("linear", "torn.func"), ("layout", "torn")])
    ]
    (cause,) = causes_of(TORN, lines)
    assert (cause.engine, len(cause.results), cause.severity) == ("torn", 3, Severity.RAISED)
    assert cause.title.startswith("NotImplementedError: VJP of inv")


def test_wrong_numbers_of_two_ops_are_two_causes_and_say_which() -> None:
    causes = causes_of(TORN, [off("cumprod", 1.0), off("cumprod", 0.5, "magnitudes"), off("sinc", 0.1)])
    assert [(len(c.results), c.title.partition(":")[0]) for c in causes] == [(2, "cumprod"), (1, "sinc")]


def test_wrong_numbers_are_one_cause_however_the_gradient_was_asked_for() -> None:
    said = "the gradient of operand {} differs from the reference VJP"
    lines = [
        off("sinc", 1.0, f"c{n}", message=said.format(way))
        for n, way in enumerate(["0", "1 in another thread", "0 between 2 sign changes"])
    ]
    (cause,) = causes_of(TORN, lines)
    assert cause.title == "sinc: the gradient of operand 0 differs from the reference VJP"


def test_a_broken_rule_is_one_cause_in_all_ops() -> None:
    lines = [
        failure(op, "dtype", message="the gradient of operand 0 has dtype float32") for op in ("sort", "det")
    ]
    (cause,) = causes_of(TORN, lines)
    assert cause.severity is Severity.CONTRACT
    assert cause.subjects == ("det", "sort")


def test_wrong_numbers_come_before_crashes_errors_and_lost_digits() -> None:
    lines = [
        off("digits", 1e-10),
        failure("raises", verdict=Verdict.ERROR, message="ValueError: no"),
        failure("dies", verdict=Verdict.CRASH, message="the worker died"),
        failure("ours", verdict=Verdict.ADAPTER_ERROR, message="the adapter returned None"),
        off("wrong", 1.0),
    ]
    assert [c.worst.subject for c in causes_of(TORN, lines)] == ["wrong", "dies", "raises", "digits", "ours"]


@pytest.mark.parametrize(
    ("got", "severity"),
    [
        ([1.0, "nan"], Severity.WRONG),
        (["1+2j", 2.0], Severity.WRONG),
        ([1.0, 2.0 + 2e-8], Severity.DIGITS),
        ([1.0, 2.0 + 6e-8], Severity.WRONG),
    ],
)
def test_half_of_the_digits_part_inaccurate_from_wrong(got: list[Any], severity: Severity) -> None:
    where = "[0]" if got[0] != 1.0 else "[1]"
    assert severity_of(failure("f", expected=[1.0, 2.0], got=got, where=where)) is severity


@pytest.mark.parametrize("clause", ["A11", "B5", "D8"])
def test_arrays_that_share_memory_break_a_rule_and_are_no_wrong_numbers(clause: str) -> None:
    shared = structs.replace(failure("add", expected=[0.5, 2.0], got=[7.0, 7.0], where="[0]"), clause=clause)
    assert severity_of(shared) is Severity.CONTRACT
    said = STANDARD[clause].sentence
    assert "memory" in said or "alias" in said or "riting into" in said


@pytest.mark.parametrize(
    ("message", "severity"),
    [
        ("the value has shape (1,), expected ()", Severity.CONTRACT),
        ("the value at {op}/nan-first has shape (1,), not ()", Severity.CONTRACT),
        ("the value has shape (1,), expected (), and its entries are wrong as well", Severity.WRONG),
    ],
)
def test_another_shape_breaks_a_rule_and_wrong_entries_in_it_are_wrong_numbers(
    message: str, severity: Severity
) -> None:
    lines = [
        failure(op, "value", expected=2.0, got=[2.0], message=message.format(op=op)) for op in ("sum", "mean")
    ]
    assert {severity_of(line) for line in lines} == {severity}
    assert len(causes_of(TORN, lines)) == (1 if severity is Severity.CONTRACT else 2)


def test_an_entry_of_the_known_failures_is_one_cause_that_keeps_how_bad_it_is() -> None:
    known = [
        KnownFailure("torn/op/sinc/*", "the gradient cancels", kind="fault"),
        KnownFailure("torn/op/sort/*", "sort raises"),
    ]
    lines = [
        off("sinc", 1.0),
        off("sinc", 1.0, "magnitudes"),
        failure("sort", verdict=Verdict.ERROR, message="no"),
    ]
    judged = [judge(line, known, today=NEVER) for line in lines]
    assert {line.verdict for line in judged} == {Verdict.KNOWN}
    assert [(c.title, len(c.results), c.severity, c.kind) for c in causes_of(TORN, judged)] == [
        ("the gradient cancels", 2, Severity.WRONG, "fault"),
        ("sort raises", 1, Severity.RAISED, ""),
    ]


def test_a_file_that_does_not_say_how_a_known_failure_failed_is_judged_by_its_message() -> None:
    raised = failure("sort", verdict=Verdict.KNOWN, message="numpy.linalg.LinAlgError: singular")
    assert failed_as(raised) is Verdict.ERROR
    assert failed_as(off("sort", 1.0, verdict=Verdict.KNOWN)) is Verdict.FAIL


def test_what_did_not_fail_is_no_cause() -> None:
    passed = failure("tanh", verdict=Verdict.PASS)
    assert causes_of(HEADER.backends, [passed, failure("tan", verdict=Verdict.UNSUPPORTED)]) == []


def test_what_rests_on_a_wrong_gradient_is_one_cause_with_it_and_the_gradient_is_shown() -> None:
    second = "the derivative of the gradient of operand 0 differs from the derivative of the reference VJP"
    point = structs.replace(
        off("tanh", 9.0, message="the gradient at tanh/at-0 is not the true one: 9, not 1"),
        id="torn/point/tanh/at-0/float64", kind="point", subject="tanh/at-0", check="point",
    )  # fmt: skip
    lines = [
        off("tanh", 3.0, "third-order", message=second),
        point,
        off("tanh", 7.0, "forward", message="the tangent at the entries [0] differs from the reference JVP"),
        off("tanh", 5.0, "magnitudes"),
        off("tanh", 1.0),
        off("sinh", 1.0, "third-order", message=second),
    ]
    found = {cause.title.partition(":")[0]: cause for cause in causes_of(TORN, lines)}
    assert set(found) == {"tanh", "sinh"}
    assert found["tanh"].worst.check == "vjp"
    assert [result.check for result in found["tanh"].results[:2]] == ["vjp", "magnitudes"]
    assert {result.check for result in found["tanh"].following} == {"third-order", "point", "forward"}
    assert not found["sinh"].following


def test_what_is_worse_than_the_plainest_follows_from_the_next_and_no_value_from_a_gradient() -> None:
    said = "the value differs from the reference value"
    lines = [
        off("tanh", 1e-9, "value", message=said),
        off("tanh", 1.0),
        off("tanh", 2.0, "third-order", message="the derivative of the gradient of operand 0 differs"),
        off("tanh", 3.0, "value-magnitudes", message="the value differs elsewhere"),
        off("tanh", 1e-8, "half-precision-value", message="the value differs in half precision"),
    ]
    causes = causes_of(TORN, lines)
    assert {c.worst.check: [r.check for r in c.following] for c in causes} == {
        "vjp": ["third-order"], "value-magnitudes": [], "value": ["half-precision-value"],
    }  # fmt: skip


def test_a_second_derivative_that_is_wrong_is_not_explained_by_lost_digits_or_by_another_engine() -> None:
    second = "the derivative of the gradient of operand 0 differs from the derivative of the reference VJP"
    lines = [off("tanh", 1e-9), off("tanh", 3.0, "third-order", message=second)]
    assert [(c.severity, c.worst.check) for c in causes_of(TORN, lines)] == [
        (Severity.WRONG, "third-order"), (Severity.DIGITS, "vjp"),
    ]  # fmt: skip
    other = BackendLine("slate", "slate", "1.0")
    lines = [off("tanh", 1.0), off("tanh", 3.0, "third-order", message=second, backend="slate")]
    assert all(not c.following for c in causes_of((*TORN, other), lines))


def test_what_is_known_has_its_own_cause_and_explains_nothing_else() -> None:
    second = "the derivative of the gradient of operand 0 differs from the derivative of the reference VJP"
    entry = KnownFailure(id="torn/op/tanh/vjp/*", reason="half of it", says="*reference VJP")
    listed = judge(off("tanh", 1.0), [entry], NEVER)
    causes = causes_of(TORN, [listed, off("tanh", 3.0, "third-order", message=second)])
    assert [(c.is_known, len(c.results), len(c.following)) for c in causes] == [(False, 1, 0), (True, 1, 0)]


def test_what_a_check_finds_in_several_ops_that_are_right_alone_is_one_cause() -> None:
    said = "the gradient of operand 0 called twice between sign changes differs from the reference VJP"
    ops = ("tanh", "exp", "sin", "add")
    lines = [off(op, 1.0, "in-a-graph", message=said) for op in ops]
    (cause,) = causes_of(TORN, lines)
    assert set(cause.subjects) == set(ops)
    assert cause.title == said
    assert len(causes_of(TORN, lines[:2])) == 2  # of two ops each may have its own
    found = causes_of(
        TORN, [*lines, off("tanh", 1.0)]
    )  # that gradient is wrong alone, and by it in the graph
    assert sorted(len(c.results) for c in found) == [2, 3]


def test_a_gradient_outside_the_allowed_range_is_a_wrong_number_and_another_convention_is_not() -> None:
    said = "the gradient of operand 0 at relu/at-0 is outside the Clarke subdifferential: -4, not between 0 and 1"
    at_point = structs.replace(
        failure("relu", "kink", message=said, got=-4.0), kind="point", subject="relu/at-0"
    )
    declared = structs.replace(failure("relu", "kink", message="'zero' is declared, but"), kind="point")
    assert severity_of(at_point) is Severity.WRONG
    assert severity_of(declared) is Severity.CONTRACT


def test_a_wrong_value_is_doubted_where_the_diagnosis_of_the_gradient_calls_the_adapter_wrong() -> None:
    value = off("var", 1.0, "value", message="the value differs from the reference value")
    thread, other = off("var", 1.0, "in-a-thread"), off("tanh", 1.0, "value")
    slip = failure("var", verdict=Verdict.ADAPTER_ERROR, message="it is no var", fault=Fault.ADAPTER.value)
    causes = {cause.worst.subject: cause for cause in causes_of(TORN, [value, thread, other])}
    assert not any(cause.is_doubted for cause in causes.values())
    first, second, adapters = causes_of(TORN, iter([value, thread, other, slip]))
    assert [(c.worst.id, c.is_doubted) for c in (first, second)] == [(value.id, True), (other.id, False)]
    assert adapters.severity is Severity.OURS
    assert first.following == (thread,)
    assert (
        sum("conformance smoke ADAPTER -q var" in line for line in lines_of([first, second, adapters])) == 1
    )
