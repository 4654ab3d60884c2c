"""How the values of a call differ from the reference's, coarsely: as a slip of a mapping makes them differ."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from conformance.backend import Backend, as_tuple
from conformance.case import Array, Case
from conformance.checks.comparison import AS_WELL, differ_in_axes_of_one
from conformance.checks.e_values.flat_ops import is_kind_of
from conformance.checks.observation import plain
from conformance.dtype import carried, finfo
from conformance.errors import hold_no_stop
from conformance.op import Domain, Op
from conformance.run.explanations import is_near

BESIDE = 5 / 16  # of a kink: no kink of another parameter is there
ENOUGH = 3  # entries that show that a value has fewer digits than its dtype
NARROW = "every entry of the value, of float64, is a number of float32: is it computed in float32, and cast?"
FEW, MANY = 4, 17  # digits


def difference(op: Op, case: Case, values: Sequence[Array]) -> str:
    """How an engine's values differ from the reference's, coarsely; empty where they do not."""
    references = as_tuple(op.reference(*map(carried, case.operands), **case.parameters))
    if len(values) != len(references):
        return f"{len(values)} values, where the reference has {len(references)}"
    for got, reference in zip(values, map(np.asarray, references), strict=True):
        if got.shape != reference.shape:
            wrong = f"the value has shape {got.shape}, expected {reference.shape}"
            return wrong + _entries_as_well(case, got, reference)
        if reference.dtype.kind in "iub" and not is_kind_of(got.dtype, reference.dtype):
            return f"the value has dtype {got.dtype}, expected {reference.dtype}"
        is_real_value = reference.dtype.kind in "fc"  # of whole numbers the width is not specified
        if is_real_value and got.dtype != reference.dtype and case.dtype == operand_dtype(case):
            return f"the value has dtype {got.dtype}, expected {reference.dtype}"
        if not is_near(got, reference, tolerance(case.dtype), rounding_of(case)):
            shown, expected = distinguished(got, reference)
            return f"the value is {shown}, expected {expected}"
    return ""


def _entries_as_well(case: Case, got: Array, reference: Array) -> str:
    """What is wrong with the entries, beside a shape with other axes of one entry; empty where nothing is."""
    if not differ_in_axes_of_one(got.shape, reference.shape):
        return ""
    flat = got.reshape(reference.shape)
    if is_near(flat, reference, tolerance(case.dtype), rounding_of(case)):
        return ""
    return f"{AS_WELL}: {brief(got)}, expected {brief(reference)}"


def narrowed(op: Op, case: Case, values: Sequence[Array]) -> str | None:
    """Whether values of float64 are all numbers of float32, where the reference's are not; empty if they are no such.

    None where too few entries show it.
    """
    if case.dtype != "float64" or (case.operands and operand_dtype(case) != case.dtype):
        return None
    references = as_tuple(op.reference(*case.operands, **case.parameters))
    pairs = [(np.asarray(v), np.asarray(z)) for v, z in zip(values, references, strict=True)]
    odd = [(v, z != z.astype("float32")) for v, z in pairs if z.dtype == v.dtype == "float64"]
    if sum(int(is_odd.sum()) for _, is_odd in odd) < ENOUGH:
        return None
    are_narrow = all(np.array_equal(v[is_odd], v[is_odd].astype("float32")) for v, is_odd in odd)
    return NARROW if are_narrow else ""


def written_operands(backend: Backend, op: Op, case: Case) -> str:
    """Which operand has other numbers after the call; empty where none has, or where nothing can be said."""
    kept: list[Any] = []
    call = backend.call(op.name, case.parameters)

    def keeping(*arrays: Any) -> Any:
        kept.extend(arrays)
        return call(*arrays)

    try:
        for z in backend.forward(keeping, [np.array(x) for x in case.operands]):
            plain(backend, z)
        after = [plain(backend, x) for x in kept]
    except BaseException as error:  # the call is right: what fails here is the second reading
        hold_no_stop(error)
        return ""
    for position, (x, was) in enumerate(zip(after, case.operands, strict=False)):
        if not np.array_equal(x, was, equal_nan=x.dtype.kind in "fc"):
            return f"operand {position} is {brief(x)} after the call, and was {brief(was)}: the function writes into it"
    return ""


def on_every_piece(x: Array, domain: Domain) -> Array:
    """Numbers beside each kink of an operand, which it has itself where it is on every piece already."""
    kinks = sorted(domain.kinks)
    if not kinks or not x.size or len(set(np.searchsorted(kinks, x.flat))) > len(kinks):
        return x
    places = [kinks[0] - BESIDE, *(kink + BESIDE for kink in kinks)]
    inside = [place for place in places if domain.low < place < domain.high]
    return np.asarray(np.resize(inside[::-1], x.shape), x.dtype)


def changed_values(backend: Backend, op: Op, case: Case) -> str:
    """What a call with other numbers makes of the value of this one; empty where that stays what it was."""
    function = backend.call(op.name, case.parameters)
    arrays = backend.forward(function, [np.array(x) for x in case.operands])
    before = [np.array(plain(backend, array)) for array in arrays]
    # Reversed numbers are as good operands of most ops; indices may have an order.
    other = [np.array(x[..., ::-1] if x.dtype.kind in "fc" else x) for x in case.operands]
    if all(np.array_equal(x, y, equal_nan=True) for x, y in zip(other, case.operands, strict=True)):
        return ""
    try:
        backend.forward(function, other)
    except BaseException as error:
        hold_no_stop(error)
        return ""
    after = [plain(backend, array) for array in arrays]
    for old, new in zip(before, after, strict=True):
        if not np.array_equal(old, new, equal_nan=old.dtype.kind in "fc"):
            return f"the value is {brief(new)} after another call, and was {brief(old)}: does the function return a buffer that it keeps?"
    return ""


def operand_dtype(case: Case) -> str:
    """The dtype in which the reference computes the case; another than the case's where NumPy computes badly in that."""
    return str(np.result_type(*map(carried, case.operands)).name) if case.operands else case.dtype


def tolerance(dtype: str) -> float:
    """The error, over the largest entry, up to which a value counts as that of the reference."""
    return max(1e-4, 16 * float(finfo(dtype).eps))


def rounding_of(case: Case) -> float:
    """What the numbers of a case leave where they cancel: some units in the last place of the largest one."""
    largest = [
        np.max(np.abs(x), initial=0.0, where=np.isfinite(x))
        for x in map(carried, (*case.operands, *case.cotangents))
        if x.dtype.kind in "fc"
    ]
    return 64 * float(finfo(case.dtype).eps) * float(max(largest, default=0.0)) or 1e-30


def distinguished(got: Array, expected: Array) -> tuple[str, str]:
    """Two arrays in a line each, with the digits that tell them apart."""
    few = brief(got), brief(expected)
    return few if few[0] != few[1] else (brief(got, MANY), brief(expected, MANY))


def brief(values: Array, digits: int = FEW) -> str:
    """An array in a line, its middle left out; numbers that are small beside others are 0 where the digits are few."""
    text = np.array2string(
        np.asarray(carried(values)),
        precision=digits,
        separator=", ",
        threshold=12,
        edgeitems=2,
        suppress_small=digits == FEW,
    )
    return " ".join(text.split())
