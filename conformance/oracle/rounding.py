"""Arithmetic that rounds at random: what every single rounding of a computation amounts to.

An array whose NumPy operations each perturb their result by at most one unit in the last place (Monte
Carlo arithmetic, Parker 1997). Evaluated on such arrays, a rule shows how it amplifies the rounding
of its own steps: a slope `1 - tanh(x)**2` in the tail, where moving x itself changes nothing.

Complex numbers come in two roles. In a rule of real numbers one is a number and its tangent, each rounded
as what it is; in a rule of complex operands it is one number, which arithmetic rounds in its modulus.

The numbers of bfloat16 are carried in float32 (`conformance.dtype`), and every result is rounded to
bfloat16 before it is perturbed by one of its units. So are the constants of a formula, as NumPy does with float16.
"""

from __future__ import annotations

import contextlib
import contextvars
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from conformance.collector import Collector
from conformance.dtype import BFLOAT16, carried, is_inexact, narrowed
from conformance.oracle.draws import Draws
from conformance.oracle.spelt_out import SPELT_OUT
from conformance.oracle.summation import ADDING, in_any_order

Array = np.ndarray[Any, Any]

MOST_TOGETHER = 1 << 18  # entries of trials that are evaluated as one
PRODUCT = 3  # roundings in the imaginary part of a product, ad + bc: those of two products and a sum

# What picks one of its operands' entries, which rounds nothing: a rule that looks for the largest entry compares with it.
PICKING = frozenset(f.__name__ for f in (np.maximum, np.minimum, np.fmax, np.fmin, np.clip))
PICKING_FUNCTIONS = (np.median,)  # of an odd number, as the catalogue calls it

# What IEEE 754 (section 5.4) has rounded to the nearest number, and what is made of nothing else.
ROUNDED_TO_NEAREST = PICKING | {
    f.__name__
    for f in (
        *(
            np.add,
            np.subtract,
            np.multiply,
            np.divide,
            np.sqrt,
            np.square,
            np.reciprocal,
            np.matmul,
            np.vecdot,
        ),
        *(np.negative, np.positive, np.absolute, np.fabs, np.sign, np.copysign, np.conjugate, np.heaviside),
        *(np.rint, np.floor, np.ceil, np.trunc, np.floor_divide, np.remainder, np.fmod),
    )
}
SOLVERS = (
    *(np.linalg.solve, np.linalg.inv, np.linalg.det, np.linalg.slogdet, np.linalg.cholesky, np.linalg.pinv),
    *(np.linalg.eigh, np.linalg.eigvalsh, np.linalg.svd, np.linalg.qr),
)

# Backward stable in the norm alone: the error is a unit of the norm times a modest function of the order
# (LAPACK Users' Guide, 4.7 to 4.9), for which the order itself is taken.
FACTORINGS = (np.linalg.pinv, np.linalg.eigh, np.linalg.eigvalsh, np.linalg.svd, np.linalg.qr)

Evaluate = Callable[[Sequence[Array]], Sequence[Array]]


class OneByOneError(Exception):
    """Trials that were evaluated as one array, and add up on the way: each is to have an order of its own."""


class Rounding(NamedTuple):
    """How results are rounded: to what type, and by what they are perturbed, if they are.

    `is_stack` says that an array's first axis counts trials.
    """

    dtype: str
    draws: Draws | None
    is_stack: bool = False

    @property
    def is_narrow(self) -> bool:
        """Whether results are carried in a wider type, and narrowed after every function."""
        return self.dtype == BFLOAT16.name


_rounding = contextvars.ContextVar[Rounding]("rounding")

# The names of functions that rounded arrays are given to and no standard says how to round: an elementary function, or
# the solution of a system, is only as good as the library that computes it.
library_calls = Collector[str]("library")


def trial(evaluate: Evaluate, inputs: Sequence[Array], dtype: str, draws: Draws | None) -> list[Array]:
    """One evaluation in the precision of `dtype`: to nearest, or everything perturbed by what is drawn."""
    if draws is None and dtype != BFLOAT16.name:  # NumPy computes in it
        return [np.asarray(z) for z in evaluate(inputs)]
    with rounding_by(draws, dtype):
        return [narrowed(np.asarray(z), dtype) for z in evaluate([rounded(x) for x in inputs])]


def trials(
    evaluate: Evaluate, inputs: Sequence[Array], dtype: str, count: int, *, are_entries_alone: bool
) -> list[Array]:
    """For each result, the arrays of several perturbed evaluations, along a first axis.

    Where every entry is computed from the entries at its own place alone, the evaluations are one, of arrays that have
    that axis too: NumPy is called once for all of them.

    Args:
        evaluate: computes in the floating point type of its inputs.
        inputs: operands and cotangents in `dtype`; integers and booleans are not changed.
        dtype: the precision of a trial.
        count: how many evaluations.
        are_entries_alone: whether no entry of a result depends on entries at other places, however many axes there are.
    """
    draws = Draws()
    is_small = sum(x.size for x in inputs) * count <= MOST_TOGETHER
    if are_entries_alone and is_small and len({x.shape for x in inputs}) == 1:
        with contextlib.suppress(OneByOneError), rounding_by(draws, dtype, is_stack=True):
            stacks = [rounded(np.broadcast_to(x, (count, *x.shape))) for x in inputs]
            return [_along_trials(narrowed(np.asarray(z), dtype), count, inputs[0]) for z in evaluate(stacks)]
    found = [trial(evaluate, inputs, dtype, draws) for _ in range(count)]
    return [np.stack(results) for results in zip(*found, strict=True)]


def _along_trials(result: Array, count: int, like: Array) -> Array:
    """A result of all trials; a constant is the same in each."""
    return np.broadcast_to(result, (count, *like.shape))


@contextlib.contextmanager
def rounding_by(draws: Draws | None, dtype: str, *, is_stack: bool = False) -> Iterator[None]:
    """Within the block, rounded arrays round their results to `dtype`, and perturb them by what is drawn."""
    token = _rounding.set(Rounding(dtype, draws, is_stack))
    try:
        yield
    finally:
        _rounding.reset(token)


def perturbed(array: Array, draws: Draws, least: Any = 0) -> Array:
    """Every entry perturbed by one unit in the last place, up, down, or not at all.

    Of a complex entry both parts are perturbed, the imaginary one by as many units as a product rounds, each of
    at least the size `least`.
    """
    if array.dtype.kind == "c":
        parts = np.empty_like(array)
        parts.real = perturbed(array.real, draws)
        parts.imag = _step(array.imag, np.maximum(np.abs(array.imag), least), draws, furthest=PRODUCT)
        return parts
    return _step(array, array, draws, furthest=1)


def _step(array: Array, size: Array, draws: Draws, *, furthest: int) -> Array:
    steps = draws.steps(array.shape, furthest, array.dtype)
    return np.asarray(array + steps * last_place(size), dtype=array.dtype)  # of infinities it makes NaN


def last_place(size: Array) -> Array:
    """The unit in the last place, with the sign of `size`: `np.spacing`, which in extended precision is NaN below a power of two."""
    if size.dtype != np.longdouble or np.finfo(np.longdouble).nmant == np.finfo(np.float64).nmant:
        return np.asarray(np.spacing(size))
    precision, (_, exponent) = np.finfo(np.longdouble), np.frexp(size)
    exponent = np.where(size == 0, precision.minexp, np.maximum(exponent - 1, precision.minexp))
    unit = np.ldexp(np.longdouble(1), exponent - precision.nmant)
    return np.where(np.isfinite(size), np.copysign(unit, size), np.nan)


def _perturbed_in_norm(matrices: Array, draws: Draws) -> Array:
    """Every entry perturbed by at most as many units of its matrix's largest entry as that has rows or columns."""
    largest = np.max(np.abs(matrices), axis=(-2, -1), keepdims=True, initial=0)
    return _step(
        matrices, np.broadcast_to(largest, matrices.shape), draws, furthest=max(1, *matrices.shape[-2:])
    )


def _kept_infinities(moved: Array, value: Array, operands: Sequence[Any]) -> Array:
    """What was infinite before, as what a mask leaves out, has no last place; what overflows just now is lost."""
    if np.isnan(moved).any() and any(np.isinf(x).any() for x in operands if isinstance(x, np.ndarray)):
        moved[...] = np.where(np.isinf(value), value, moved)
    return moved


def perturbed_whole(array: Array, draws: Draws) -> Array:
    """Every number perturbed by at most one unit in the last place of its modulus, in both of its parts."""
    if array.dtype.kind != "c":
        return perturbed(array, draws)
    size, parts = np.abs(array), np.empty_like(array)
    parts.real, parts.imag = (_step(part, size, draws, furthest=1) for part in (array.real, array.imag))
    return parts


def rounded(array: Array) -> Array:
    """The array perturbed, and rounding from here on; integers and truth values as they are."""
    draws = _rounding.get().draws
    if draws is None or not is_inexact(array.dtype):
        return rounding_on(array)
    return rounding_on(_kept_infinities(perturbed_whole(array, draws), array, [array]))


def rounding_on(array: Array) -> Array:
    """The array as it is, and rounding from here on; integers and truth values round nothing."""
    plain: Array = carried(array)
    if plain.dtype.kind == "c":
        return plain.view(RoundedWhole)
    return plain.view(Rounded) if plain.dtype.kind == "f" else plain


class Rounded(np.ndarray[Any, Any]):
    """An array whose every operation rounds, for use within a `trial`."""

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *operands: Any, **keywords: Any) -> Any:
        """Compute plainly, then round the results, and perturb them."""
        into = keywords.pop("out", None)
        plain = [x.view(np.ndarray) if isinstance(x, Rounded) else _constant(x) for x in operands]
        rounding, name = _rounding.get(), ufunc.__name__
        own = None
        if rounding.draws is not None and ufunc in ADDING:
            own = in_any_order(ufunc, method, plain, keywords, rounding.dtype, rounding.draws)
            if own is not None and rounding.is_stack:
                raise OneByOneError
        results = getattr(ufunc, method)(*plain, **keywords) if own is None else own
        if method == "at":
            return None
        several = isinstance(results, tuple)
        values = results if several else (results,)
        if name not in ROUNDED_TO_NEAREST and is_inexact(np.asarray(values[0]).dtype):
            library_calls.put(name)
        by = rounding._replace(draws=None) if name in PICKING else rounding
        outputs = tuple([self._rounded(z, plain, by) for z in values])
        for target, output in zip(into or (), outputs, strict=False):
            if target is not None:
                target.view(np.ndarray)[...] = output
        outputs = into if into is not None else outputs
        return outputs if several else outputs[0]

    def __array_function__(self, function: Any, types: Any, operands: Any, keywords: Any) -> Any:
        """What only arranges entries (`np.where`) rounds nothing, and must not end the rounding that follows."""
        if function in SOLVERS:
            library_calls.put(function.__name__)
        draws = _rounding.get().draws
        if function in FACTORINGS and draws is not None:
            operands = (_perturbed_in_norm(operands[0], draws), *operands[1:])
        if function in (np.dot, np.inner) and all(0 < np.ndim(x) < 3 for x in operands):
            return operands[0] @ (operands[1] if function is np.dot else np.transpose(operands[1]))
        if function in PICKING_FUNCTIONS:
            operands = [x.view(np.ndarray) if isinstance(x, Rounded) else x for x in operands]
            result = np.asarray(function(*operands, **keywords))
        elif function in SPELT_OUT:
            result = SPELT_OUT[function](_rounding.get().draws, *operands, **keywords)
        else:
            result = super().__array_function__(function, types, operands, keywords)
        result = np.asarray(result) if isinstance(result, np.inexact) else result
        if not isinstance(result, np.ndarray) or result.dtype.kind not in "fc":
            return result
        rounding = _rounding.get()
        return (carried(narrowed(result, rounding.dtype)) if rounding.is_narrow else result).view(type(self))

    def _rounded(self, result: Any, operands: Sequence[Any], by: Rounding) -> Any:
        value = np.asarray(result)
        if value.dtype.kind not in "fc":
            return result
        value = narrowed(value, by.dtype) if by.is_narrow else value
        value = value if by.draws is None else self._perturbed(value, operands, by.draws)
        return (carried(value) if by.is_narrow else value).view(type(self))

    def _perturbed(self, value: Array, operands: Sequence[Any], draws: Draws) -> Array:
        """The result of an operation on these operands, perturbed; a complex one is a number and its tangent."""
        least = _tangent(operands) if value.dtype.kind == "c" else 0
        least = least if np.shape(least) == value.shape else 0
        return _kept_infinities(perturbed(value, draws, least), value, operands)


class RoundedWhole(Rounded):
    """The same of a complex number as one number."""

    def _perturbed(self, value: Array, operands: Sequence[Any], draws: Draws) -> Array:
        """The result perturbed by units of its modulus."""
        return perturbed_whole(value, draws)


def _constant(operand: Any) -> Any:
    """A number of a formula in the precision of what it meets, which of float32 is too much for bfloat16."""
    is_wide = type(operand) is float and _rounding.get().dtype == BFLOAT16.name
    return float(BFLOAT16.type(operand)) if is_wide else operand


def _tangent(operands: Sequence[Any]) -> Any:
    """The size of a function's tangent, where a complex step carries one through a single operand.

    Who differentiates tanh takes 1 - z², which rounds as a number of size 1 does, however small it is. A
    complex tanh has no such step, so that its tangent is perturbed by what enters it.
    """
    is_complex = len(operands) == 1 and np.iscomplexobj(operands[0])
    return np.abs(np.imag(operands[0])) if is_complex else 0
