"""Chapter E on graphs: the gradient of a composition."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from conformance.backend import Backend
from conformance.case import Array, Case
from conformance.checks.comparison import measuring
from conformance.checks.observation import Observation, hold_within, plain
from conformance.checks.registry import CheckKind, NotThisCase, check
from conformance.errors import Unsupported, Violation
from conformance.ops import find
from conformance.oracle.program_slope import expected_slope
from conformance.oracle.reverse_sweep import PROGRAM_PERTURBATIONS, expected_program_gradients, op_cases
from conformance.program import Program

BEYOND_DOUBT = 64.0  # allowances: no number of trials makes that much of a difference
MANY_PERTURBATIONS = 256  # trials before an engine is called wrong: a long program rounds in many ways


@check(CheckKind.PROGRAM, "E6", "composition")
def gradient_of_a_program_is_the_reverse_sweeps(engine: Backend, program: Program) -> tuple[float, float]:
    """The gradient of a composition is the composition of the VJPs.

    Where the VJP of an op alone is wrong at the same operands, that is told by E1 and decides nothing here.
    """
    with _told_by_no_op_alone(engine, program):
        gradients = _gradients(engine, program)
        return _held_beyond_doubt(lambda perturbations: _hold_sweep(gradients, program, perturbations))


def _hold_sweep(
    gradients: Sequence[Array | None], program: Program, perturbations: int
) -> tuple[float, float]:
    worst = (0.0, 0.0)
    expected = expected_program_gradients(program, find, perturbations=perturbations)
    for leaf, got, of_leaf in zip(program.variables, gradients, expected, strict=True):
        worst = max(worst, hold_within(got, of_leaf, f"the gradient of leaf v{leaf}"))
    return worst


@check(CheckKind.PROGRAM, "E6", "differences")
def gradient_of_a_program_is_its_slope(engine: Backend, program: Program) -> tuple[float, float]:
    """Along a direction, the gradient of a composition is the slope that differences of its values have.

    No rule is used: the references are composed, and differentiated by a complex step where they are
    analytic, by extrapolated differences in extended precision elsewhere, which say themselves how far off they may be.
    """
    if program.changes_precision:
        raise NotThisCase("differences see the steps of a change of precision, not the slope through it")
    with _told_by_no_op_alone(engine, program):
        gradients = _gradients(engine, program)
        return _held_beyond_doubt(lambda perturbations: _hold_slope(gradients, program, perturbations))


def _hold_slope(
    gradients: Sequence[Array | None], program: Program, perturbations: int
) -> tuple[float, float]:
    expected = expected_slope(program, find, perturbations=perturbations)
    along = np.zeros((), np.longdouble)
    for got, direction in zip(gradients, expected.directions, strict=True):
        along += np.sum(got.astype(np.longdouble) * direction) if got is not None else 0
    return hold_within(along, expected.slope, "the gradient along a direction", "is not the slope")


def _gradients(engine: Backend, program: Program) -> Sequence[Array | None]:
    """The engine's gradients of the variables; of a program with branches only where it can take them (C7)."""
    if program.has_branches and engine.conventions.get("C7") != "eager":
        raise NotThisCase("the engine does not look at values while it records")
    _, gradients = engine.vjp(
        lambda *leaves: program.run(engine.call, leaves)[-1],
        [np.array(x) for x in program.leaves],
        [np.array(program.cotangent)],
        program.variables,
    )
    return [None if gradient is None else plain(engine, gradient) for gradient in gradients]


def _held_beyond_doubt(hold: Callable[[int], tuple[float, float]]) -> tuple[float, float]:
    """What `hold` finds with few trials of rounding; before an engine is called wrong, with many."""
    try:
        return hold(PROGRAM_PERTURBATIONS)
    except Violation as failure:
        if failure.error is None or failure.error > BEYOND_DOUBT:
            raise
        measuring.clear()
        return hold(MANY_PERTURBATIONS)


@contextlib.contextmanager
def _told_by_no_op_alone(engine: Backend, program: Program) -> Iterator[None]:
    """What goes wrong inside is the composition's fault: no op of it is wrong by itself, at the same operands."""
    try:
        yield
    except (NotThisCase, Unsupported):
        raise
    except Exception:
        for case in op_cases(program, find):
            if not _is_right_alone(engine, case):
                raise NotThisCase(
                    f"{case.op} alone is wrong at these operands, which is E1's to tell"
                ) from None
        raise


def _is_right_alone(engine: Backend, case: Case) -> bool:
    seen = Observation(engine, find(case.op), case, perturbations=MANY_PERTURBATIONS)
    try:
        with measuring():  # it is not what the program is asked
            for got, expected in zip(seen.answer.gradients, seen.expected, strict=True):
                hold_within(got, expected, "the gradient")
    except Exception:  # raised by the engine as well: it cannot do this op
        return False
    return True
