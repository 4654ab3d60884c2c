"""The gradient of a program by one reverse sweep over its steps, in any precision.

The same algorithm as the reference engine's, but over a list that is there already rather than a graph
that was recorded: so each is a witness for the other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from conformance.case import Array, Case
from conformance.op import Op
from conformance.oracle.allowance import Expected, expect
from conformance.program import Program

TRIALS = 16  # moved evaluations: a program rounds at many steps

Find = Callable[[str], Op]


def referring(find: Find) -> Callable[[str, Mapping[str, Any]], Callable[..., Any]]:
    """How a program is run on the references."""
    return lambda name, fixed: lambda *xs: find(name).reference(*xs, **fixed)


def reverse_sweep(program: Program, find: Find, inputs: Sequence[Array]) -> list[Array]:
    """The gradients of a program's leaves, given leaves followed by the cotangent."""
    *leaves, cotangent = inputs
    _, adjoints = _swept(program.straightened(referring(find)), find, leaves, cotangent)
    return [np.zeros_like(x) if a is None else np.asarray(a) for a, x in zip(adjoints, leaves, strict=False)]


def _swept(
    program: Program, find: Find, leaves: Sequence[Array], cotangent: Array
) -> tuple[list[Any], list[Any]]:
    """Every value of a program without branches, and every adjoint: None where nothing arrives."""
    values = program.run(referring(find), leaves)
    adjoints: list[Any] = [None] * len(values)
    adjoints[-1] = cotangent
    first = len(leaves)
    for number in reversed(range(len(program.steps))):
        step, g = program.steps[number], adjoints[first + number]
        if g is None:
            continue
        operands = [values[i] for i in step.inputs]
        for position, source in enumerate(step.inputs):
            if not find(step.op).is_differentiable(position):
                continue
            pulled = find(step.op).rule(position, g, values[first + number], *operands, **step.parameters)
            adjoints[source] = pulled if adjoints[source] is None else adjoints[source] + pulled
    return values, adjoints


def op_cases(program: Program, find: Find) -> Iterator[Case]:
    """Every step by itself, with the operands and the cotangent that it has in the program."""
    program = program.straightened(referring(find))
    values, adjoints = _swept(program, find, program.leaves, program.cotangent)
    for step, g in zip(program.steps, adjoints[len(program.leaves) :], strict=True):
        if g is not None:
            xs = tuple(np.asarray(values[i]) for i in step.inputs)
            lying = ("C",) * (len(xs) + 1)
            yield Case(step.op, xs, step.parameters, (np.asarray(g),), lying, program.dtype)


def gradient_bounds(program: Program, find: Find, inputs: Sequence[Array]) -> list[Array]:
    """How large the gradients could become if nothing cancelled."""

    def bounding(name: str) -> Op:
        op = find(name)

        def bound(position: int, g: Any, z: Any, /, *operands: Any, **parameters: Any) -> Any:
            return np.abs(op.rule(position, g, z, *operands, **parameters))

        return replace(op, reference=lambda *xs, **p: np.abs(op.reference(*xs, **p)), rule=bound)

    return reverse_sweep(program, bounding, [np.abs(x) for x in inputs])


def expected_program_gradients(
    program: Program, find: Find, *, perturbations: int = TRIALS
) -> list[Expected]:
    """What the gradients of a program's variables must be, in their dtype."""
    inputs = (*program.leaves, program.cotangent)

    def sweep(moved: Sequence[Array]) -> list[Array]:
        gradients = reverse_sweep(program, find, moved)
        return [gradients[i] for i in program.variables]

    gradients = sweep(inputs)
    largest = max((float(np.abs(g).max()) for g in gradients if g.size), default=1.0)
    scale = max(largest, float(np.abs(program.cotangent).max(initial=1.0)))
    return expect(
        sweep,
        inputs,
        program.dtype,
        [scale] * len(gradients),
        perturbations=perturbations,
    )
