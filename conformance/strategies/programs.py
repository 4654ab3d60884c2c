"""Random programs: graphs of 1 to 30 steps with fan-out and broadcasting, of a few ops or of all.

Only steps that are possible are offered, so nothing is drawn to be thrown away: shapes fit, and no
value leaves the range in which the gradient is well determined.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from hypothesis import strategies as st

from conformance.case import Array
from conformance.op import Op
from conformance.ops.names import (
    ADD,
    CONCAT,
    COS,
    EXPAND_DIMS,
    GETITEM,
    MATMUL,
    MEAN,
    MULTIPLY,
    NEGATIVE,
    PERMUTE_DIMS,
    RESHAPE,
    SIGMOID,
    SIN,
    SOFTMAX,
    SQUARE,
    SUBTRACT,
    SUM,
    TANH,
)
from conformance.program import Program, Step
from conformance.strategies import explore
from conformance.strategies.wide_programs import wide_programs
from conformance.values import cotangent

LONGEST = 30
LARGEST_VALUE = 100.0
LARGEST_SIZE = 64
LEAVES: tuple[tuple[int, ...], ...] = ((3,), (), (2, 3), (3, 3), (1, 3))

UNARY = (NEGATIVE, SIN, TANH, SQUARE, COS, SIGMOID)
BINARY = (ADD, MULTIPLY, SUBTRACT)
Find = Callable[[str], Op]
Draw = Callable[..., Any]


@st.composite
def narrow_programs(draw: Draw, find: Find, dtype: str) -> Program:
    """Draws a program whose every step takes the latest value and, where it takes two, any earlier one."""
    seed = draw(st.integers(0, 2**16))
    rng = np.random.default_rng(seed)
    shapes = draw(st.lists(st.sampled_from(LEAVES), min_size=1, max_size=3))
    leaves = tuple(cotangent(shape, dtype, "signed", rng) for shape in shapes)
    values, steps = list(leaves), []
    length = draw(st.integers(1, LONGEST))

    def grow(step: Step) -> None:
        value = _value(find, step, values)
        if np.abs(value).max(initial=0.0) > LARGEST_VALUE:  # squash it: always possible, always small
            step = Step(TANH, step.inputs[:1], {})
            value = _value(find, step, values)
        steps.append(step)
        values.append(value)

    while len(steps) < length:
        alike = [n for n, x in enumerate(values[:-1]) if x.shape == values[-1].shape]
        if alike and len(steps) <= LONGEST - 3 and draw(st.integers(0, 3)) == 3:
            for step in crossed(
                len(values) - 1, draw(st.sampled_from(alike)), is_reversed=draw(st.booleans())
            ):
                grow(step)
        else:
            grow(draw(st.sampled_from(list(possible_steps(values)))))
    return Program(leaves, tuple(steps), cotangent(np.shape(values[-1]), dtype, "signed", rng), dtype)


def crossed(latest: int, other: int, *, is_reversed: bool) -> Iterator[Step]:
    """(x + y) + sin(x), in either order: one cotangent has reached x and y while x waits for another."""
    yield Step(ADD, (latest, other), {})
    yield Step(SIN, (latest,), {})
    yield Step(ADD, (latest + 2, latest + 1) if is_reversed else (latest + 1, latest + 2), {})


def _value(find: Find, step: Step, values: Sequence[Array]) -> Array:
    return np.asarray(find(step.op).reference(*(values[i] for i in step.inputs), **step.parameters))


def possible_steps(values: Sequence[Array]) -> Iterator[Step]:
    """Every step that can follow `values`."""
    latest = len(values) - 1
    x = values[latest]
    for name in UNARY:
        yield Step(name, (latest,), {})
    for other in reversed(range(len(values))):
        if _fit(x.shape, values[other].shape):
            yield from (Step(name, (latest, other), {}) for name in BINARY)
        if x.ndim == values[other].ndim == 2 and x.shape[1] == values[other].shape[0]:
            yield Step(MATMUL, (latest, other), {})
        if (
            0 < x.ndim == values[other].ndim
            and x.shape[1:] == values[other].shape[1:]
            and x.size <= LARGEST_SIZE // 2
        ):
            yield Step(CONCAT, (latest, other), {"axis": 0})
    yield from _of_shape(latest, x)


def _of_shape(latest: int, x: Array) -> Iterator[Step]:
    """Steps that need axes."""
    for axis in range(x.ndim):
        yield Step(SUM, (latest,), {"axis": axis, "keepdims": True})
        yield Step(MEAN, (latest,), {"axis": axis, "keepdims": False})
    if x.ndim:
        yield Step(GETITEM, (latest,), {"index": (slice(None, None, -1),)})
        yield Step(SOFTMAX, (latest,), {"axis": -1})
    if x.ndim == 2:
        yield Step(PERMUTE_DIMS, (latest,), {"axes": (1, 0)})
    yield (
        Step(EXPAND_DIMS, (latest,), {"axis": 0})
        if x.ndim < 2
        else Step(RESHAPE, (latest,), {"shape": (x.size,)})
    )


def _fit(first: tuple[int, ...], second: tuple[int, ...]) -> bool:
    """Whether two shapes broadcast, to a shape that is still small."""
    try:
        return int(np.prod(np.broadcast_shapes(first, second))) <= LARGEST_SIZE
    except ValueError:
        return False


@lru_cache(maxsize=4)
def draw_programs(find: Find, dtype: str, seed: int, count: int) -> tuple[Program, ...]:
    """The programs for a seed: of a few ops, which every engine has, and half as many again of all."""
    few = explore.draw(narrow_programs(find, dtype), seed=seed, examples=count)
    every = explore.draw(wide_programs(find, dtype), seed=seed, examples=max(1, count // 2))
    return (*few, *every)


def smallest_program(
    find: Find, dtype: str, seed: int, count: int, is_failing: Callable[[Program], bool]
) -> Program | None:
    """The smallest failing program among those drawn for the same seed and around them."""
    for strategy in (narrow_programs(find, dtype), wide_programs(find, dtype)):
        smallest = explore.shrink(strategy, is_failing, seed=seed, examples=count)
        if smallest is not None:
            return smallest
    return None
