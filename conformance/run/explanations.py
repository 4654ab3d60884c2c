"""What would make a wrong value right: other operands, other parameters, another order of axes, a factor."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from conformance.backend import as_tuple
from conformance.case import Array, Case
from conformance.checks.comparison import differ_in_axes_of_one
from conformance.dtype import carried
from conformance.op import Op

DRAWS = 64  # of the law, for other values of the parameters
MOST_AXES = 4  # of operands whose axes are put in every order
MOST_OUTPUTS = 4  # that are put in every order
IN_ANOTHER_DTYPE = "it has the expected entries in another dtype"
IN_ANOTHER_SHAPE = "it has the expected entries in another shape"
SIGNS = (
    "it is the expected value with other signs of the vectors, which a factoring leaves open: "
    "fix them as `signs` does, which explain prints"
)
FACTORS = 1e-5  # relative spread up to which ratios of entries are one factor


def is_near(got: Array, expected: Array, tolerance: float, rounding: float = 1e-30) -> bool:
    """Whether two arrays of one shape differ by no more than `tolerance` of the largest entry.

    Where all that is expected is 0, up to `rounding` counts as 0: what cancels in one formula is rounded in another.
    """
    a, b = np.asarray(carried(got)), np.asarray(carried(expected))
    if a.shape != b.shape:
        return False
    if a.dtype.kind in "OSU":
        return False
    scale = float(np.max(np.abs(b[np.isfinite(b)]), initial=0.0)) if b.dtype.kind in "fc" else 0.0
    return bool(np.allclose(a, b, rtol=0, atol=tolerance * scale or rounding, equal_nan=True))


def explanation(op: Op, case: Case, values: Sequence[Array]) -> str:
    """What the engine computed instead, in words; empty where nothing fits."""
    expected = [
        np.asarray(z) for z in as_tuple(op.reference(*map(carried, case.operands), **case.parameters))
    ]
    said = _explained(op, case, values, expected)
    pairs = list(zip(values, expected, strict=False))
    if said or len(values) != len(expected) or all(v.shape == z.shape for v, z in pairs):
        return said
    if not all(differ_in_axes_of_one(v.shape, z.shape) for v, z in pairs):
        return ""
    return _explained(
        op, case, [v.reshape(z.shape) for v, z in pairs], expected
    )  # entries that are wrong as well


def _explained(op: Op, case: Case, values: Sequence[Array], expected: Sequence[Array]) -> str:
    near = 1e-4
    both = [(np.asarray(v), np.asarray(z)) for v, z in zip(values, expected, strict=False)]
    if both and all(is_near(*pair, near) and pair[0].dtype != pair[1].dtype for pair in both):
        return IN_ANOTHER_DTYPE  # which any order of the operands may explain as well
    if both and all(_is_with_an_axis_of_one(*pair, near) for pair in both):
        return (
            IN_ANOTHER_SHAPE  # which some other axis or parameter may explain in this call, and in no other
        )
    for words, operands, parameters in _other_calls(op, case):
        try:
            other = as_tuple(op.reference(*map(carried, operands), **parameters))
        except Exception:
            continue
        pairs = list(zip(values, other, strict=False))
        if len(other) == len(values) and all(is_near(got, np.asarray(z), near) for got, z in pairs):
            return f"it is the value {words}{_taken_for_all(op, case, parameters)}"
    if not values:
        return ""
    got, first = next((pair for pair in both if not is_near(*pair, near)), both[0])
    return (
        _with_outputs_exchanged(values, expected, near)
        or _of_other_signs(both, near)
        or _rearranged(got, first, near)
        or _with_axes_exchanged(op, case, got, near)
        or _single_factor(case, got, first, near)
    )


def _is_with_an_axis_of_one(got: Array, expected: Array, near: float) -> bool:
    """Whether a value without axes has one of one entry, as that of an engine without such arrays."""
    return (got.shape, expected.shape) == ((1,), ()) and is_near(got.reshape(()), expected, near)


def _taken_for_all(op: Op, case: Case, parameters: Mapping[str, Any]) -> str:
    """What to declare where the engine takes an empty tuple for all axes, as it may."""
    taken = next((name for name, v in case.parameters.items() if v == () and parameters[name] is None), "")
    return (
        f'; if the engine takes () for all axes: lacks = {{"{op.name}": {{"{taken}": ((),)}}}}'
        if taken
        else ""
    )


def _other_calls(op: Op, case: Case) -> Iterator[tuple[str, Sequence[Any], dict[str, Any]]]:
    """Calls that an adapter may have made by mistake."""
    count = len(case.operands)
    if 1 < count <= 3:
        for order in itertools.permutations(range(count)):
            if order != tuple(range(count)):
                yield (
                    f"for the operands in the order {order}",
                    [case.operands[i] for i in order],
                    dict(case.parameters),
                )
    yield from _transposed(case)
    usual = {f"for {n}={v!r}" for n, v in op.law(lambda options: options[0]).parameters.items()}
    others = _with_other_values(op, case)
    yield from sorted(others, key=lambda call: (not call[0].endswith("=None"), call[0] not in usual))


def _with_other_values(op: Op, case: Case) -> Iterator[tuple[str, Sequence[Any], dict[str, Any]]]:
    """Calls with another value of one parameter."""
    drawn = random.Random(0)
    tried = {repr(v) for v in case.parameters.values()}
    for _ in range(DRAWS if case.parameters else 0):
        for name, value in op.law(lambda options: drawn.choice(list(options))).parameters.items():
            key = f"{name}={value!r}"
            if key not in tried and repr(value) != repr(case.parameters.get(name)):
                tried.add(key)
                yield f"for {key}", case.operands, {**case.parameters, name: value}
    for name, value in case.parameters.items():
        if type(value) is float and value:  # a slope or a margin that the engine means with the other sign
            yield f"for {name}={-value!r}", case.operands, {**case.parameters, name: -value}


def _transposed(case: Case) -> Iterator[tuple[str, Sequence[Any], dict[str, Any]]]:
    """Calls with the axes of one operand in another order, as another layout of a weight or of an image makes them."""
    for index, x in enumerate(case.operands):
        for axes in itertools.permutations(range(x.ndim)) if 1 < x.ndim <= MOST_AXES else ():
            if axes != tuple(range(x.ndim)):
                operands = [*case.operands]
                operands[index] = np.transpose(x, axes)
                words = f"for operand {index} with its axes in the order {axes}"
                yield words, operands, dict(case.parameters)


def _with_axes_exchanged(op: Op, case: Case, got: Array, near: float) -> str:
    """Whether all operands of one rank, and the result, have their axes in another order than the catalogue's."""
    ndim = got.ndim
    if ndim <= 2 or ndim > MOST_AXES:
        return ""
    for axes in itertools.permutations(range(ndim)):
        operands = [np.transpose(x, axes) if x.ndim == ndim else x for x in case.operands]
        try:
            other = np.asarray(op.reference(*map(carried, operands), **case.parameters))
        except Exception:
            continue
        back = np.argsort(axes)
        if (
            axes != tuple(range(ndim))
            and other.ndim == ndim
            and is_near(got, np.transpose(other, back), near)
        ):
            return f"it is the value for operands and result with their axes in the order {axes}"
    return ""


def _with_outputs_exchanged(values: Sequence[Array], expected: Sequence[Array], near: float) -> str:
    """Whether the outputs are those of the catalogue in another order."""
    count = len(expected)
    if not 1 < count == len(values) <= MOST_OUTPUTS:
        return ""
    for order in itertools.permutations(range(count)):
        pairs = zip(values, (np.asarray(expected[i]) for i in order), strict=True)
        if order != tuple(range(count)) and all(is_near(got, z, near) for got, z in pairs):
            return f"it is the value for the outputs in the order {order}"
    return ""


def _of_other_signs(both: Sequence[tuple[Array, Array]], near: float) -> str:
    """Whether vectors have other signs than the catalogue fixes for them, as a factoring leaves them open."""
    are_alike = all(got.shape == z.shape and is_near(np.abs(got), np.abs(z), near) for got, z in both)
    return SIGNS if are_alike and len(both) > 1 else ""


def _rearranged(got: Array, expected: Array, near: float) -> str:
    if got.size != expected.size or not got.size:
        return ""
    for axes in itertools.permutations(range(expected.ndim)):
        if axes != tuple(range(expected.ndim)) and is_near(got, np.transpose(expected, axes), near):
            return f"it is the expected value with its axes in the order {axes}"
    if got.shape != expected.shape and is_near(got.ravel(), expected.ravel(), near):
        return IN_ANOTHER_SHAPE
    if got.dtype != expected.dtype and is_near(got, expected, near):
        return IN_ANOTHER_DTYPE
    not_zero = expected != 0
    if expected.dtype.kind == "f" and got.shape == expected.shape and np.count_nonzero(not_zero) > 1:
        ratios = got[not_zero] / expected[not_zero]
        if np.ptp(ratios) <= FACTORS * abs(ratios.flat[0]) and not got[~not_zero].any():
            if not ratios.any():
                return "it is zero everywhere"
            return f"it is {ratios.flat[0]:.6g} times the expected value"
    if got.shape == expected.shape and is_near(np.sort(got.ravel()), np.sort(expected.ravel()), near):
        return "it has the expected entries in another order"
    return ""


def _single_factor(case: Case, got: Array, expected: Array, near: float) -> str:
    """Whether a single number is a parameter, or a count of entries, times what is expected, or a part of that."""
    is_single = got.shape == expected.shape and expected.size == 1 and expected.dtype.kind == "f"
    if not is_single or not expected.any():
        return ""
    ratio = float(got.flat[0] / expected.flat[0])
    factors = {name: value for name, value in case.parameters.items() if type(value) in (int, float)}
    factors |= {f"the {x.size} entries of operand {i}": x.size for i, x in enumerate(case.operands)}
    for name, factor in factors.items():
        for words, value in ((f"{name} times", factor), (f"1/{name} times", 1 / factor if factor else 0.0)):
            if np.isfinite(value) and value not in (0, 1, -1) and abs(ratio - value) <= near * abs(value):
                return f"it is {words} the expected value"
    return ""
