"""Sensitivity: the smallest relative error in a gradient that a test of gradients notices.

The error is planted in an engine's own op: every operand passes through a custom rule that is the
identity on the way forward and multiplies the cotangent by 1 + e on the way back. The suite's check of values
is put to that op beside the engine's own tests of gradients, where its adapter offers any, on the same cases.
"""

from __future__ import annotations

import statistics
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec
import numpy as np

from conformance.backend import Backend, Capability
from conformance.case import Case
from conformance.checks import load_all
from conformance.checks.observation import Oracle
from conformance.checks.registry import NotThisCase
from conformance.errors import Unsupported, UsageError
from conformance.load import load_backend
from conformance.op import Op
from conformance.ops import CATALOGUE
from conformance.oracle.allowance import Expected
from conformance.questions.cases import CaseQuestion
from conformance.strategies import Effort, draw_cases

SUITE = "conformance"
CHECK = "op/vjp"
EFFORT = Effort(signatures=4, draws=3, samples=1, programs=1)
DTYPES = ("float64", "float32")
STEPS = 4  # to an octave of the ladder of errors
# What the suite should reach: a median in float64, and in float32 in units of its last place.
WELL = {"float64": 1e-12, "float32": 8 * float(np.finfo("float32").eps)}

Judge = Callable[[float], bool]  # whether an error of that size is noticed


class Figure(msgspec.Struct, frozen=True, omit_defaults=True):
    """What one test of gradients notices of one op.

    Attributes:
        backend: whose op it is.
        op: the op.
        dtype: of operands and gradients.
        tester: "conformance", or the name of the engine's own test.
        smallest: the smallest relative error that is noticed, None where none up to 1 is.
        is_false_alarm: whether the gradient is called wrong with no error planted: by the suite, where the engine
            has a fault of its own; then nothing else is worth knowing.
        why: for the suite, what hides smaller errors.
    """

    backend: str
    op: str
    dtype: str
    tester: str
    smallest: float | None = None
    is_false_alarm: bool = False
    why: str = ""


# ---- planting --------------------------------------------------------------------------------------


def planted(spec: str, op: str, error: float) -> Backend:
    """A fresh backend whose gradients of one op are multiplied by 1 + `error`."""
    backend = load_backend(spec)
    right = backend.op(op)
    factor = 1.0 + error
    wrong = backend.custom(lambda x: x * 1.0, lambda g, x: (g * factor,))

    def altered(*operands: Any, **parameters: Any) -> Any:
        return right(*map(wrong, operands), **parameters)

    backend.ops = {**backend.ops, op: altered}  # type: ignore[misc]  # this backend's alone, not the class's
    return backend


def can_be_planted(op: Op) -> bool:
    """Whether every operand has a gradient to multiply, and there is one output, as the engines' tests want."""
    return all(domain.is_differentiable for domain in op.domains) and not op.has_several_outputs


# ---- measuring --------------------------------------------------------------------------------------


def sensitivity(specs: Sequence[str], ops: Sequence[str], *, seed: int = 0) -> Iterator[list[Figure]]:
    """What is noticed of each op of each backend, an op at a time.

    Raises:
        UsageError: where no backend lets an error be planted: it takes custom rules.
    """
    able = [spec for spec in specs if Capability.CUSTOM_RULE in load_backend(spec).capabilities]
    if not able:
        raise UsageError(f"none of {', '.join(specs)} takes custom rules, so no error can be planted")
    for spec in able:
        backend = load_backend(spec)
        for name in ops:
            if name in backend.ops and can_be_planted(CATALOGUE[name]):
                for dtype in DTYPES:
                    # Engines warn of what an error was planted in, once per trial: nobody could read it.
                    with np.errstate(all="ignore"), warnings.catch_warnings():
                        warnings.simplefilter("ignore")
                        found = _of_op(spec, name, dtype, seed)
                    yield found


def _of_op(spec: str, name: str, dtype: str, seed: int) -> list[Figure]:
    op, backend = CATALOGUE[name], load_backend(spec)
    cases = [case for case in draw_cases(op, dtype, seed, EFFORT) if all(x.size for x in case.operands)]
    figures = []
    for tester, judge in _judges(spec, op, cases):
        found = Figure(backend.name, name, dtype, tester, **_smallest(judge, dtype))
        is_hidden = tester == SUITE and (found.smallest is None or found.smallest > WELL[dtype])
        figures.append(msgspec.structs.replace(found, why=_why(op, cases)) if is_hidden else found)
    return figures


def _judges(spec: str, op: Op, cases: Sequence[Case]) -> Iterator[tuple[str, Judge]]:
    def suite(error: float) -> bool:
        backend = planted(spec, op.name, error)
        return any(_is_called_wrong(backend, op, case) for case in cases)

    yield SUITE, suite
    for name, is_right in load_backend(spec).testers.items():

        def own(error: float, is_right: Any = is_right) -> bool:
            backend = planted(spec, op.name, error)
            calls = [(backend.call(op.name, case.parameters), case.operands) for case in cases]
            try:
                return not all(is_right(function, operands) for function, operands in calls)
            except Exception:  # whatever the engine's test raises, it has not found the gradient right
                return True

        yield name, own


def _is_called_wrong(backend: Backend, op: Op, case: Case) -> bool:
    try:
        question = CaseQuestion(case)
        question.run(load_all()[CHECK], question.on(backend))
    except (Unsupported, NotThisCase):
        return False
    except Exception:  # a Violation, or what the engine raised: no pass
        return True
    return False


def _smallest(judge: Judge, dtype: str) -> dict[str, Any]:
    """The smallest step of the ladder that is noticed, by bisection: what is noticed is noticed if larger."""
    if judge(0.0):
        return {"is_false_alarm": True}
    if not judge(1.0):
        return {}
    noticed, missed = 0, STEPS * (np.finfo(dtype).nmant + 1)
    while missed - noticed > 1:
        middle = (noticed + missed) // 2
        noticed, missed = (middle, missed) if judge(2.0 ** (-middle / STEPS)) else (noticed, middle)
    return {"smallest": 2.0 ** (-noticed / STEPS)}


# ---- what hides an error -------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Entry:
    """What is allowed to one entry of a gradient, in units of its last place, and what explains it."""

    allowed: float
    spread: float
    units: float
    library: tuple[str, ...]

    @property
    def why(self) -> str:
        """The parts of the allowance."""
        rest = self.allowed - self.spread - self.units
        whose = ", ".join(self.library) or "its own rounding"
        return (
            f"{self.allowed:.0f} ulp are allowed: {self.units:.0f} to {whose}, {self.spread:.0f} to the rounding of "
            f"the textbook rule, {rest:.0f} for being small beside what is ordinary there"
        )


def _why(op: Op, cases: Sequence[Case]) -> str:
    entries = [
        entry for case in cases for expected in Oracle(op, case).expected for entry in _entries(expected)
    ]
    return min(entries, key=lambda entry: entry.allowed).why if entries else "no gradient is other than zero"


def _entries(expected: Expected) -> Iterator[_Entry]:
    shown = (expected.exact != 0) & np.isfinite(expected.allowed)
    if expected.spread is not None:
        for parts in zip(expected.allowed[shown], expected.spread[shown], expected.ulp[shown], strict=True):
            allowed, spread, ulp = map(float, parts)
            yield _Entry(allowed / ulp, spread / ulp, expected.units, expected.library)


# ---- of all ops ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Median:
    """The median over some ops, the false alarms left out; an op of which nothing is noticed counts as infinite."""

    median: float
    ops: int
    alarms: int


def medians(figures: Sequence[Figure]) -> dict[tuple[str, str, str], Median]:
    """The medians by backend, tester and dtype."""
    kinds: dict[tuple[str, str, str], list[Figure]] = {}
    for figure in figures:
        kinds.setdefault((figure.backend, figure.tester, figure.dtype), []).append(figure)
    return {kind: _median(own) for kind, own in kinds.items()}


def of_shared_ops(figures: Sequence[Figure]) -> list[Figure]:
    """Those of the suite in ops that it measured on every backend of that dtype: medians over all of a backend's ops
    are of other ops on each.
    """
    suites = [f for f in figures if f.tester == SUITE and not f.is_false_alarm]
    ops: dict[str, dict[str, set[str]]] = {}
    for figure in suites:
        ops.setdefault(figure.dtype, {}).setdefault(figure.backend, set()).add(figure.op)
    shared = {dtype: set.intersection(*named.values()) for dtype, named in ops.items() if len(named) > 1}
    return [f for f in suites if f.op in shared.get(f.dtype, ())]


def _median(figures: Sequence[Figure]) -> Median:
    judged = [np.inf if f.smallest is None else f.smallest for f in figures if not f.is_false_alarm]
    middle = statistics.median_low(judged) if judged else np.nan
    return Median(float(middle), len(judged), len(figures) - len(judged))
