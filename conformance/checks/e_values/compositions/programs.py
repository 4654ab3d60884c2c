"""Chapter E: gradients of programs of several ops."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from conformance.backend import Backend
from conformance.case import Array, Case
from conformance.checks.comparison import Comparison, hold_all_within, hold_within
from conformance.checks.engine_calls import is_above
from conformance.checks.observation import Observation, Oracle, hold_gradients, plain
from conformance.checks.registry import NotThisCase, check
from conformance.errors import Unsupported, Violation
from conformance.ops import find
from conformance.ops.names import GETITEM, RESHAPE
from conformance.oracle.program_slope import expected_slope
from conformance.oracle.reverse_sweep import PROGRAM_PERTURBATIONS, expected_program_gradients, op_cases
from conformance.program import Program

SHAPING = frozenset({GETITEM, RESHAPE})
CERTAIN = 64.0  # error over allowance beyond which more perturbations cannot change the verdict
MANY_PERTURBATIONS = 256  # before an engine is called wrong: a long program rounds at many steps


@check("program", "E6", "composition")
def gradient_of_a_program_equals_the_reverse_sweep(engine: Backend, program: Program) -> list[Comparison]:
    """The gradient of a composition is the composition of the VJPs.

    Where the VJP of an op alone is wrong at the same operands, E1 reports it and nothing is decided here.
    """
    with every_op_is_right_alone(engine, program):
        gradients = _gradients(engine, program)
        return _checked_again_before_failure(
            lambda perturbations: _hold_sweep(gradients, program, perturbations)
        )


def _hold_sweep(gradients: Sequence[Array | None], program: Program, perturbations: int) -> list[Comparison]:
    expected = expected_program_gradients(program, find, perturbations=perturbations)
    leaves = zip(program.variables, gradients, expected, strict=True)
    return hold_all_within(
        ((got, of_leaf, f"the gradient of leaf v{leaf}") for leaf, got, of_leaf in leaves),
        f"differs from the reference VJP, in a program of {', '.join(_ops_of(program))}",
    )


def _ops_of(program: Program) -> list[str]:
    """The ops that it has, besides those that bring operands into shape: a known fault of one may show here."""
    return list(dict.fromkeys(case.op for case in op_cases(program, find) if case.op not in SHAPING))


@check("program", "E6", "differences")
def gradient_of_a_program_is_its_slope(engine: Backend, program: Program) -> list[Comparison]:
    """Along a direction, the gradient of a composition is the slope that differences of its values have.

    No rule is used: the composed references are differentiated by a complex step where they are analytic, and by
    extrapolated differences in extended precision elsewhere, which estimate their own error.
    """
    if program.changes_precision:
        raise NotThisCase("differences cannot measure the slope of a program that changes precision")
    with every_op_is_right_alone(engine, program):
        gradients = _gradients(engine, program)
        return _checked_again_before_failure(
            lambda perturbations: _hold_slope(gradients, program, perturbations)
        )


def _hold_slope(gradients: Sequence[Array | None], program: Program, perturbations: int) -> list[Comparison]:
    expected = expected_slope(program, find, perturbations=perturbations)
    along = np.zeros((), np.longdouble)
    for got, direction in zip(gradients, expected.directions, strict=True):
        along += np.sum(got.astype(np.longdouble) * direction) if got is not None else 0
    return [hold_within(along, expected.slope, "the gradient along a direction", "is not the slope")]


def _gradients(engine: Backend, program: Program) -> Sequence[Array | None]:
    """The engine's gradients of the variables; NotThisCase for a program with branches that the engine cannot trace (C7)."""
    if program.has_branches and engine.conventions.get("C7") != "eager":
        raise NotThisCase("the engine cannot branch on values")
    _, gradients = engine.vjp(
        lambda *leaves: program.run(engine.call, leaves, lambda total: is_above(engine, total, 0))[-1],
        [np.array(x) for x in program.leaves],
        [np.array(program.cotangent)],
        program.variables,
    )
    return [None if gradient is None else plain(engine, gradient) for gradient in gradients]


def _checked_again_before_failure(hold: Callable[[int], list[Comparison]]) -> list[Comparison]:
    """The result of `hold` with few perturbations; where it fails, with many before the engine is called wrong."""
    try:
        return hold(PROGRAM_PERTURBATIONS)
    except Violation as failure:
        if failure.error is None or failure.error > CERTAIN:
            raise
        return hold(MANY_PERTURBATIONS)


@contextlib.contextmanager
def every_op_is_right_alone(engine: Backend, program: Program) -> Iterator[None]:
    """Let a failure through only where no op of the program is wrong alone, at the same operands; else NotThisCase."""
    try:
        yield
    except (NotThisCase, Unsupported):
        raise
    except Exception:
        for case in op_cases(program, find):
            if not _is_right_alone(engine, case):
                raise NotThisCase(f"{case.op} alone is wrong at these operands, which E1 reports") from None
        raise


def _is_right_alone(engine: Backend, case: Case) -> bool:
    seen = Observation(engine, Oracle(find(case.op), case, perturbations=MANY_PERTURBATIONS))
    try:
        hold_gradients(seen)
    except Exception:  # an exception of the engine counts too: it cannot run this op
        return False
    return True
