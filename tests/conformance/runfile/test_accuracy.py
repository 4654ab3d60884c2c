"""Every entry that is compared with an oracle is counted once, and the worst can be run again."""

from __future__ import annotations

import json
from typing import Any, ClassVar

import numpy as np
import pytest
from conformance_backends import numpy_engine as engine
from conformance_backends.numpy_backend import NumpyTape

from conformance.case import Case
from conformance.checks import load_all
from conformance.checks.comparison import Comparison, compare, hold_close
from conformance.errors import Violation
from conformance.oracle.allowance import SAFETY_FACTOR, Expected
from conformance.questions import Item
from conformance.questions.cases import CaseQuestion
from conformance.run.accuracy_counter import AccuracyCounter
from conformance.run.execute import Executor, result_of
from conformance.runfile.accuracy import EDGES, Accuracy
from conformance.runfile.jsonl import decode, encode
from conformance.runfile.records import ResultLine, Verdict
from conformance.strategies import Effort

EFFORT = Effort(signatures=3, draws=2, samples=2, programs=3)


def expected(exact: list[float], *, allowed: float = 1.0, spread: float = 0.0) -> Expected:
    values = np.array(exact, np.longdouble)
    ones = np.ones_like(values)
    return Expected(values, allowed * ones, ones / 64, spread * SAFETY_FACTOR * ones)


def counted(*comparisons: Comparison) -> Accuracy:
    counting = AccuracyCounter()
    for number, compared in enumerate(comparisons):
        counting.add([compared], f"t{number}".format)
    found = counting.result()
    assert found is not None
    return found


def compared(got: list[float], bound: Expected) -> Comparison:
    return compare(np.array(got), bound, "the value")


# ---- one comparison -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("error", "place"),
    [
        (0.0, 0),
        (2.0**-20, 1),
        (2.0**-8, 1),
        (2.0**-7, 2),
        (0.3, 8),
        (0.5, 8),
        (1.0, 9),
        (1.5, 10),
        (np.nan, 10),
    ],
)
def test_an_entry_is_counted_by_its_error_over_what_is_allowed(error: float, place: int) -> None:
    bins = counted(compared([1.0 + error], expected([1.0]))).bins
    assert [i for i, n in enumerate(bins) if n] == [place]
    assert len(bins) == len(EDGES) + 2


def test_typical_and_worst_are_in_ulp_and_the_worst_has_its_place() -> None:
    found = counted(compared([1.0, 2.125, 3.5], expected([1.0, 2.0, 3.0])))
    assert (found.typical, found.worst, found.where) == (8.0, 32.0, "the value at [2]")


def test_a_unit_is_what_the_conditioning_makes_of_one() -> None:
    assert counted(compared([1.5], expected([1.0], spread=0.25))).worst == 2.0
    assert counted(compared([1.5], expected([1.0], spread=2.0**-9))).worst == 32.0


def test_the_worst_of_all_questions_is_the_one_to_run_again() -> None:
    near, far = (compared([1.0 + e], expected([1.0])) for e in (0.1, 0.9))
    assert [counted(near, far, near).token, counted(far, near).token] == ["t1", "t0"]


def test_what_is_exact_everywhere_has_no_worst_place() -> None:
    found = counted(compared([1.0, np.inf], expected([1.0, np.inf])))
    assert (found.bins[0], found.worst, found.where, found.token) == (2, 0.0, "", "")


def test_what_is_infinitely_far_is_no_number_and_still_has_its_place() -> None:
    found = counted(compared([1.0, np.nan], expected([1.0, 2.0])))
    assert (found.worst, found.where, found.token) == (None, "the value at [1]", "t0")


def test_where_nothing_is_decided_nothing_is_counted() -> None:
    counting = AccuracyCounter()
    counting.add([compared([7.0], expected([1.0], allowed=np.inf))], str)
    assert counting.result() is None


def test_two_arrays_of_one_engine_measure_no_accuracy() -> None:
    with pytest.raises(Violation) as caught:
        hold_close(np.zeros(2), np.ones(2), np.zeros(2), "again")
    assert caught.value.comparisons == ()


# ---- in a run -----------------------------------------------------------------------------------------


class Loose(NumpyTape):
    """tanh's gradient is off by a part in a thousand where its operand is beyond 1."""

    ops: ClassVar[dict[str, Any]] = {
        **NumpyTape.ops,
        "tanh": engine.custom(
            np.tanh, lambda g, x: [g * (1 - np.tanh(x) ** 2) * (1 + 1e-3 * (np.abs(x) > 1))]
        ),
    }


def asked(backend: NumpyTape, check: str, op: str = "tanh", dtype: str = "float64") -> ResultLine:
    executor = Executor(backend, seed=0, effort=EFFORT, shrink=False)
    (line,) = executor.results([Item(backend.name, check, op, dtype)])
    return line


@pytest.mark.parametrize(
    ("check", "dtype"), [("op/vjp", "float64"), ("op/vjp", "float32"), ("op/value", "float64"),
                         ("op/half-precision", "float16"), ("op/reverse-over-reverse", "float64")]
)  # fmt: skip
def test_a_check_of_values_counts_every_entry_it_compared(check: str, dtype: str) -> None:
    line = asked(NumpyTape(), check, dtype=dtype)
    assert line.verdict is Verdict.PASS
    assert line.accuracy is not None
    assert sum(line.accuracy.bins) > line.cases
    assert line.accuracy.bins[-1] == 0
    assert line.accuracy.typical is not None
    assert line.accuracy.worst is not None
    assert line.accuracy.typical <= line.accuracy.worst


def test_a_check_that_compares_no_values_counts_none() -> None:
    assert asked(NumpyTape(), "op/shape").accuracy is None


def test_the_case_of_the_worst_entry_shows_it_again() -> None:
    first = asked(NumpyTape(), "op/vjp").accuracy
    assert first is not None
    again = result_of(load_all()["op/vjp"], NumpyTape(), CaseQuestion(Case.from_token(first.token))).accuracy
    assert again is not None
    assert (again.worst, again.where) == (first.worst, first.where)


def test_entries_beyond_the_allowance_are_counted_once_with_those_within() -> None:
    line = asked(Loose(), "op/vjp")
    assert line.verdict is Verdict.FAIL
    assert line.accuracy is not None
    assert line.accuracy.bins[-1] > 0
    assert line.accuracy.worst is not None
    assert line.accuracy.worst > 1e6
    assert sum(line.accuracy.bins) < 2 * sum(asked(NumpyTape(), "op/vjp").accuracy.bins)  # type: ignore[union-attr]


# ---- in the run file ----------------------------------------------------------------------------------


def test_an_accuracy_comes_back_as_it_was_written() -> None:
    line = asked(NumpyTape(), "op/vjp")
    assert decode(encode(line)) == line


def test_a_line_of_before_accuracies_were_counted_is_read() -> None:
    older = json.loads(encode(asked(NumpyTape(), "op/vjp")))
    del older["accuracy"]
    line = decode(json.dumps(older))
    assert isinstance(line, ResultLine)
    assert line.accuracy is None
