"""The gradient of a program by one reverse sweep over its steps, in any precision.

This is the algorithm of the reference engine, but over a given list of steps and not over a recorded graph:
each of the two is an independent check of the other.
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

PROGRAM_PERTURBATIONS = 16  # perturbed evaluations: a program rounds at many steps

Find = Callable[[str], Op]


def reference_call(find: Find) -> Callable[[str, Mapping[str, Any]], Callable[..., Any]]:
    """For `Program.run`: the reference of an op with its parameters set."""
    return lambda name, fixed: lambda *xs: find(name).reference(*xs, **fixed)


def reverse_sweep(program: Program, find: Find, inputs: Sequence[Array]) -> list[Array]:
    """The gradients of a program's leaves; `inputs` are the leaves followed by the cotangent."""
    *leaves, cotangent = inputs
    _, adjoints = _swept(program.straightened(reference_call(find)), find, leaves, cotangent)
    return [np.zeros_like(x) if a is None else np.asarray(a) for a, x in zip(adjoints, leaves, strict=False)]


def _swept(
    program: Program, find: Find, leaves: Sequence[Array], cotangent: Array
) -> tuple[list[Any], list[Any]]:
    """Every value of a program without branches, and every adjoint: None where no cotangent arrives."""
    values = program.run(reference_call(find), leaves)
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
    """Every step as a case of its own, with the operands and the cotangent that it has in the program."""
    program = program.straightened(reference_call(find))
    values, adjoints = _swept(program, find, program.leaves, program.cotangent)
    for step, g in zip(program.steps, adjoints[len(program.leaves) :], strict=True):
        if g is not None:
            xs = tuple(np.asarray(values[i]) for i in step.inputs)
            layouts = ("C",) * (len(xs) + 1)
            yield Case(step.op, xs, step.parameters, (np.asarray(g),), layouts, program.dtype)


def gradient_bounds(program: Program, find: Find, inputs: Sequence[Array]) -> list[Array]:
    """Upper bounds of the gradients: what they would be if no terms cancelled."""

    def bounding(name: str) -> Op:
        op = find(name)

        def bound(position: int, g: Any, z: Any, /, *operands: Any, **parameters: Any) -> Any:
            return np.abs(op.rule(position, g, z, *operands, **parameters))

        return replace(op, reference=lambda *xs, **p: np.abs(op.reference(*xs, **p)), rule=bound)

    return reverse_sweep(program, bounding, [np.abs(x) for x in inputs])


def expected_program_gradients(
    program: Program, find: Find, *, perturbations: int = PROGRAM_PERTURBATIONS
) -> list[Expected]:
    """The expected gradients of a program's variables, in their dtype."""
    inputs = (*program.leaves, program.cotangent)

    def sweep(perturbed: Sequence[Array]) -> list[Array]:
        gradients = reverse_sweep(program, find, perturbed)
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
