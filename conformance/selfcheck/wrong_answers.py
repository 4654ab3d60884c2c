"""Wrong answers: what may stand in for an array that an engine's adapter hands out."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any
from unittest.mock import patch

import numpy as np

from conformance.backend import Backend, TapeBackend
from conformance.case import Array
from conformance.dtype import carried, finfo, is_inexact

Wrong = Callable[[Array], Array]
SLIGHTLY, IN_HALF = 1e-3, 0.25  # beyond the allowance of any case but an ill-conditioned one


def _scaled(x: Array) -> Array:
    if not is_inexact(x.dtype):
        return x
    by = SLIGHTLY if finfo(x.dtype).eps < SLIGHTLY**2 else IN_HALF
    return np.asarray(carried(x) * (1 + by)).astype(x.dtype)


def _nan(x: Array) -> Array:
    return np.full_like(x, np.nan) if is_inexact(x.dtype) else _negated(x)


def _shifted(x: Array) -> Array:
    """More by three times itself, by three at least: no slope of a kink; 0 for NaN, and for truth values the other."""
    if not is_inexact(x.dtype):
        return _negated(x) if x.dtype.kind == "b" else np.asarray(x + 1)
    more = carried(x) + 3 * np.maximum(1, np.abs(carried(x)))
    return np.asarray(np.where(np.isfinite(more), more, 0)).astype(x.dtype)


def _odd(x: Array) -> Array:
    """A number that no convention names, also in place of an infinity."""
    return np.full_like(x, 137) if is_inexact(x.dtype) else _negated(x)


def _negated(x: Array) -> Array:
    return ~x if x.dtype.kind == "b" else np.asarray(-x)


def _of_another_entry(x: Array) -> Array:
    return np.roll(x.ravel(), 1).reshape(x.shape)


ARRAYS: Mapping[str, Wrong] = {
    "NaN": _nan,
    "zero": np.zeros_like,
    "negated": _negated,
    "doubled": lambda x: np.asarray(x + x).astype(x.dtype),
    "slightly scaled": _scaled,
    "of another entry": _of_another_entry,
}


def _at_one_entry(wrong: Wrong, smaller: float = 0) -> Wrong:
    """Where the right answer is largest: the tail of a gradient may be as good as zero; or where a share is larger."""

    def replaced(x: Array) -> Array:
        whole, one = wrong(x), np.array(x)
        changed = np.flatnonzero(_differ(whole, x))
        if changed.size:
            sizes = np.nan_to_num(np.abs(carried(x)).ravel()[changed].astype(float))
            order = np.argsort(sizes, kind="stable")
            place = changed[order[len(order) - 1 - int(smaller * (len(order) - 1))]]
            one.flat[place] = whole.flat[place]
        return one

    return replaced


def _differ(x: Array, y: Array, floor: float = 0) -> Array:
    """Where two arrays differ, by more than so many units of the rounding of 1."""
    differ: Array = ~((x == y) | ((x != x) & (y != y)))
    if floor and is_inexact(x.dtype):
        differ &= ~(np.abs(carried(x) - carried(y)) <= floor * finfo(x.dtype).eps)
    return differ


NUMBERS: Mapping[str, Wrong] = {
    **{f"{name}, at all entries": wrong for name, wrong in ARRAYS.items()},
    **{f"{name}, at one entry": _at_one_entry(wrong) for name, wrong in ARRAYS.items()},
}
# A claim may be about some entries only: those where nothing overflows, or that share nothing with a NaN.
ELSEWHERE: Mapping[str, Sequence[Wrong]] = {
    f"{name}, at one entry": [_at_one_entry(wrong, share) for share in (0.5, 0.25, 0.75, 1)]
    for name, wrong in ARRAYS.items()
}
PROBES: Sequence[Wrong] = (_nan, _shifted, _odd)
FORMS: Mapping[str, Wrong] = {
    "with another axis": lambda x: x[None],
    "in another precision": lambda x: x.astype(
        np.result_type(x.dtype, np.float64) if x.itemsize < 8 else "float32"
    ),
}


class Answers:
    """The answers of a backend, of which one may be replaced.

    Attributes:
        backend: the backend.
        number: which answer is replaced, counted from 0; -1 for none.
        wrong: what makes it wrong.
        floor: the changes that count for nothing, in units of the dtype's rounding of 1.
        count: how many were given.
        has_changed: whether the replaced one is another than the right one.
        cotangents: whether each gradient argument of a tape has an entry that is not 1.
    """

    def __init__(
        self, backend: Backend, number: int = -1, wrong: Wrong = np.zeros_like, floor: float = 0
    ) -> None:
        self.backend, self.number, self.wrong, self.floor = backend, number, wrong, floor
        self.count = 0
        self.has_changed = False
        self.cotangents: list[bool] = []

    @contextlib.contextmanager
    def given(self) -> Iterator[None]:
        """A block in which the backend gives them."""
        numpy, memory, written = self.backend.numpy, self.backend.memory, [False]

        def answer(array: Any) -> Any:
            value = numpy(array)
            if written[0] or not isinstance(value, np.ndarray):
                return value
            self.count += 1
            return self._replaced(value) if self.count - 1 == self.number else value

        def memory_of(array: Any) -> Any:  # an adapter may implement it by numpy()
            written[0] = True
            try:
                return memory(array)
            finally:
                written[0] = False

        with contextlib.ExitStack() as patches:
            if isinstance(self.backend, TapeBackend):
                patches.enter_context(patch.object(self.backend, "backward", self._noting(self.backend)))
            patches.enter_context(patch.object(self.backend, "numpy", answer))
            patches.enter_context(patch.object(self.backend, "memory", memory_of))
            yield

    def _noting(self, tape: TapeBackend) -> Callable[..., None]:
        backward, numpy = tape.backward, tape.numpy

        def noting(output: Any, gradient: Any = None, *, retain: bool = False) -> None:
            if gradient is not None:
                self.cotangents.append(bool((np.asarray(numpy(gradient)) != 1).any()))
            backward(output, gradient, retain=retain)

        return noting

    def _replaced(self, value: Array) -> Array:
        wrong = self.wrong(value)
        self.has_changed = (wrong.shape, wrong.dtype) != (value.shape, value.dtype) or bool(
            _differ(wrong, value, self.floor).any()
        )
        return wrong
