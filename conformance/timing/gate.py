"""The gate before the clock: an engine whose answer is wrong gets no number.

What an answer may be off by is measured, not typed in: the hand-written form is evaluated in the
workload's dtype and in extended precision, and an engine may be off by as much as that, a few times
over, since it may add up in another order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from conformance.backend import Backend, Function
from conformance.timing.prepare import Step
from conformance.timing.workloads import Array, Size, Workload

LENIENCE = 64
"""How many times worse than the hand-written form an engine may be."""


@dataclass(frozen=True)
class Solution:
    """One workload of one size: its operands, the exact answers (value first), and the allowed errors."""

    workload: Workload
    size: Size
    operands: tuple[Array, ...]
    exact: tuple[Array, ...]
    allowed: tuple[float, ...]


class Refused(Exception):
    """The engine's answer is wrong, so its time means nothing."""


def solve(workload: Workload, size: Size, dtype: str, seed: int) -> Solution:
    """Draw the operands and find the exact answers with the hand-written form, in extended precision."""
    operands = workload.operands(size, dtype, np.random.default_rng(seed))
    rounded = answers(workload, size, operands)
    exact = answers(workload, size, [x.astype(np.longdouble) for x in operands])
    return Solution(
        workload,
        size,
        operands,
        exact,
        tuple(allowance(r, e, dtype) for r, e in zip(rounded, exact, strict=True)),
    )


def answers(workload: Workload, size: Size, operands: Sequence[Array]) -> tuple[Array, ...]:
    """The hand-written value and gradients."""
    value, gradients = workload.gradient(size, *operands)
    return (np.asarray(value), *gradients)


def allowance(rounded: Array, exact: Array, dtype: str) -> float:
    """The error of the hand-written form, and one rounding of its largest entry, a few times over."""
    rounding = float(np.finfo(dtype).eps) * distance(exact, np.zeros_like(exact))
    return LENIENCE * (distance(rounded, exact) + rounding)


def distance(a: Array, b: Array) -> float:
    """The largest difference of two entries."""
    return float(np.max(np.abs(a.astype(np.longdouble) - b)))


def admit_gradient(backend: Backend, function: Function, solution: Solution, step: Step) -> None:
    """Raise Refused unless the engine's gradients are right, as its users call it and as they are timed.

    The step is called again because the clock will: an engine that accumulates what it should have
    cleared is right only once.
    """
    plain = backend.gradient(function, solution.operands)
    for gradients in (plain, step(), step()):
        if len(gradients) != len(solution.operands):
            raise Refused(f"{len(gradients)} gradients for {len(solution.operands)} operands")
        for index, gradient in enumerate(gradients):
            hold(backend, gradient, solution, index + 1, f"the gradient of operand {index}")


def admit_forward(backend: Backend, solution: Solution, step: Step) -> None:
    """Raise Refused unless the engine's value is right."""
    for value in step():
        hold(backend, value, solution, 0, "the value")


def hold(backend: Backend, array: object, solution: Solution, index: int, what: str) -> None:
    """Raise Refused unless an engine's array is the exact answer `index` within its allowance."""
    exact, allowed, dtype = solution.exact[index], solution.allowed[index], solution.operands[0].dtype
    if array is None:
        raise Refused(f"{what} was dropped: the engine gave None")
    got = np.asarray(backend.numpy(array))
    if got.shape != exact.shape:
        raise Refused(f"{what} has shape {got.shape}, expected {exact.shape}")
    if got.dtype != dtype:
        raise Refused(f"{what} is {got.dtype}, expected {dtype}: its time cannot be compared")
    error = distance(got, exact)
    if not error <= allowed:  # so that NaN is refused
        raise Refused(f"{what} is off by {error:.2g}, allowed {allowed:.2g}")
