"""Shape ops: the same entries in another arrangement, copied or left out.

All of them are linear, so a row is its transpose: the arrangement undone, copies added up, and
zeros for what was left out.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from conformance.op import Op
from conformance.ops import laws
from conformance.ops.dispatch import dispatched
from conformance.ops.indexing import getitem, put_back, scatter_add
from conformance.ops.laws import arrangements
from conformance.ops.rows import general, linear, unbroadcast
from conformance.ops.traits import HOLOMORPHIC, PIECEWISE_LINEAR, exactly_undone_by

# -- references that take their operands one by one, or return tuples ------------------------------


@dispatched
def astype(x: Any, *, dtype: str) -> Any:
    """`x` in another precision."""
    return x.astype(dtype)


# -- what undoes a call ----------------------------------------------------------------------------


def the_same(shapes: Any, **parameters: Any) -> Mapping[str, Any]:
    """The parameters of the call itself."""
    return parameters


def to_its_shape(shapes: Any, **_: Any) -> Mapping[str, Any]:
    """A reshape to the operand's own shape."""
    return {"shape": shapes[0]}


# -- transposes ------------------------------------------------------------------------------------


def reshaped_back(g: Any, x: Any, **_: Any) -> Any:
    """The transpose of anything that only changes the shape."""
    return np.reshape(g, shape=np.shape(x))


def inverse_permutation(axes: tuple[int, ...] | None) -> tuple[int, ...] | None:
    """The permutation that undoes `axes`; reversing the axes (None) undoes itself."""
    return None if axes is None else tuple(int(a) for a in np.argsort([a % len(axes) for a in axes]))


def opposite(shift: Any) -> Any:
    """The shift that undoes `shift`."""
    return tuple(-s for s in shift) if isinstance(shift, tuple) else -shift


def untiled(g: Any, x: Any, reps: Any) -> Any:
    """The sum over all the copies of `x` in `g`."""
    times = reps if isinstance(reps, tuple) else (reps,)
    ndim = max(len(times), np.ndim(x))
    times = (1,) * (ndim - len(times)) + times
    sizes = (1,) * (ndim - np.ndim(x)) + np.shape(x)
    copies = np.reshape(g, shape=tuple(n for pair in zip(times, sizes, strict=True) for n in pair))
    return np.reshape(np.sum(copies, axis=tuple(range(0, 2 * ndim, 2))), shape=np.shape(x))


def unrepeated(g: Any, x: Any, repeats: Any, axis: int | None = None) -> Any:
    """Repeating is taking every place so many times."""
    count = np.size(x) if axis is None else np.shape(x)[axis]
    return put_back(g, x, np.repeat(np.arange(count), repeats), axis)


def unpadded(g: Any, x: Any, pad_width: Any) -> Any:
    """The part of `g` between the margins."""
    margins = np.broadcast_to(pad_width, (np.ndim(x), 2))
    inside = tuple(
        slice(int(before), int(before) + n) for (before, _), n in zip(margins, np.shape(x), strict=True)
    )
    return getitem(g, index=inside)


def undiagonal(g: Any, x: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    """Zeros of the shape of `x` with `g` on the diagonal."""
    places = np.arange(np.shape(g)[-1])
    rows, columns = places + max(-offset, 0), places + max(offset, 0)
    shape = np.shape(np.moveaxis(np.empty(np.shape(x)), (axis1, axis2), (-2, -1)))
    return np.moveaxis(
        scatter_add(g, index=(Ellipsis, rows, columns), shape=shape),
        source=(-2, -1),
        destination=(axis1, axis2),
    )


def diag_vjp(g: Any, x: Any, k: int = 0) -> Any:
    """A vector came from the diagonal it was put on; a matrix gets its diagonal back."""
    if np.ndim(x) == 1:
        return np.diagonal(g, offset=k, axis1=0, axis2=1)
    return undiagonal(g, x, offset=k, axis1=0, axis2=1)


@dispatched
def diag_embed(x: Any, *, offset: int) -> Any:
    """Matrices of zeros, each with a vector of the last axis on a diagonal: the main one, or so many above it."""
    places, order = np.arange(np.shape(x)[-1]), np.shape(x)[-1] + abs(offset)
    index = (Ellipsis, places + max(-offset, 0), places + max(offset, 0))
    return scatter_add(x, index=index, shape=(*np.shape(x)[:-1], order, order))


@dispatched
def pad_by_mode(x: Any, *, pad_width: Any, mode: Any) -> Any:
    """Margins of the operand's own entries, chosen as `numpy.pad` does in the mode."""
    return np.pad(x, pad_width, mode=mode)


def pad_by_mode_transposed(g: Any, x: Any, pad_width: Any, mode: str) -> Any:
    """Each cotangent added at the place that was copied."""
    count = math.prod(np.shape(x))
    copied = pad_by_mode(np.arange(count).reshape(np.shape(x)), pad_width=pad_width, mode=mode)
    index = (np.ravel(copied).tolist(),)
    return np.reshape(scatter_add(np.reshape(g, shape=(-1,)), index=index, shape=(count,)), shape=np.shape(x))


# -- one array -------------------------------------------------------------------------------------

ONE_ARRAY = (
    linear("reshape", np.reshape, lambda g, x, shape: reshaped_back(g, x),
        formula="x̄ = reshape(g)", source="linear; reshapes back", law=arrangements.reshaping,
        traits={HOLOMORPHIC, exactly_undone_by("reshape", to_its_shape)}),
    linear("ravel", np.ravel, reshaped_back,
        formula="x̄ = reshape(g)", source="linear; reshapes back", law=laws.one_array, aliases=("flatten",),
        traits={HOLOMORPHIC, exactly_undone_by("reshape", to_its_shape)}),
    linear("expand_dims", np.expand_dims, reshaped_back,
        formula="x̄ = reshape(g)", source="linear; reshapes back", law=arrangements.new_axes, aliases=("unsqueeze",),
        traits={HOLOMORPHIC, exactly_undone_by("reshape", to_its_shape)}),
    linear("squeeze", np.squeeze, reshaped_back,
        formula="x̄ = reshape(g)", source="linear; reshapes back", law=arrangements.squeezing,
        traits={HOLOMORPHIC, exactly_undone_by("reshape", to_its_shape)}),
    linear("permute_dims", np.transpose,
        lambda g, x, axes=None: np.transpose(g, axes=inverse_permutation(axes)),
        formula="x̄ = permute(g, axes⁻¹)", source="linear; permutes back",
        law=arrangements.permutation, aliases=("transpose",),
        traits={HOLOMORPHIC, exactly_undone_by("permute_dims", lambda shapes, axes: {"axes": inverse_permutation(axes)})}),
    linear("swapaxes", np.swapaxes, lambda g, x, axis1, axis2: np.swapaxes(g, axis1=axis1, axis2=axis2),
        formula="x̄ = swap(g)", source="linear; its own inverse", law=arrangements.swapping,
        traits={HOLOMORPHIC, exactly_undone_by("swapaxes", the_same)}),
    linear("moveaxis", np.moveaxis,
        lambda g, x, source, destination: np.moveaxis(g, source=destination, destination=source),
        formula="x̄ = move(g, destination → source)", source="linear; moves back", law=arrangements.moving,
        traits={HOLOMORPHIC, exactly_undone_by("moveaxis", lambda shapes, source, destination: {"source": destination, "destination": source})}),
    linear("flip", np.flip, lambda g, x, axis=None: np.flip(g, axis=axis),
        formula="x̄ = flip(g)", source="linear; its own inverse", law=arrangements.FLIPPING,
        traits={HOLOMORPHIC, exactly_undone_by("flip", the_same)}),
    linear("roll", np.roll, lambda g, x, shift, axis=None: np.roll(g, shift=opposite(shift), axis=axis),
        formula="x̄ = roll(g, −shift)", source="linear; rolls back", law=arrangements.rolling,
        traits={HOLOMORPHIC, exactly_undone_by("roll", lambda shapes, shift, axis: {"shift": opposite(shift), "axis": axis})}),
    linear("rot90", np.rot90, lambda g, x, k=1, axes=(0, 1): np.rot90(g, k=-k, axes=axes),
        formula="x̄ = rot90(g, −k)", source="linear; turns back", law=arrangements.turning,
        traits={HOLOMORPHIC, exactly_undone_by("rot90", lambda shapes, k, axes: {"k": -k, "axes": axes})}),
    linear("fftshift", np.fft.fftshift, lambda g, x, axes=None: np.fft.ifftshift(g, axes=axes),
        formula="x̄ = ifftshift(g)", source="linear; shifts back", law=arrangements.halving,
        traits={HOLOMORPHIC, exactly_undone_by("ifftshift", the_same)}),
    linear("ifftshift", np.fft.ifftshift, lambda g, x, axes=None: np.fft.fftshift(g, axes=axes),
        formula="x̄ = fftshift(g)", source="linear; shifts back", law=arrangements.halving,
        traits={HOLOMORPHIC, exactly_undone_by("fftshift", the_same)}),
    linear("broadcast_to", np.broadcast_to, lambda g, x, shape: unbroadcast(g, np.shape(x)),
        formula="x̄ = Σ g over the broadcast axes", source="linear; the transpose of copying is summing",
        law=arrangements.broadcasting, traits={HOLOMORPHIC}),
    linear("tile", np.tile, untiled,
        formula="x̄ = Σ g over the copies", source="linear; the transpose of copying is summing", law=arrangements.tiling,
        traits={HOLOMORPHIC}),
    linear("repeat", np.repeat, unrepeated,
        formula="x̄ᵢ = Σ g over the copies of xᵢ", source="linear; the transpose of copying is summing",
        law=arrangements.repeating, traits={HOLOMORPHIC}),
    general("pad", np.pad, lambda g, z, x, pad_width, constant_values=0: unpadded(g, x, pad_width),
        formula="x̄ = g without its margins", source="the identity inside, constant margins", law=arrangements.padding,
        traits={HOLOMORPHIC, PIECEWISE_LINEAR}),
    linear("pad_by_mode", pad_by_mode, pad_by_mode_transposed,
        formula="x̄[i] = Σ g over the places that copy i", source="linear; the transpose of copying adds back",
        law=arrangements.mirroring, traits={HOLOMORPHIC}),
    linear("tril", np.tril, lambda g, x, k=0: np.tril(g, k=k),
        formula="x̄ = tril(g)", source="linear; a projection onto entries is its own transpose",
        law=arrangements.TRIANGLES, traits={HOLOMORPHIC}),
    linear("triu", np.triu, lambda g, x, k=0: np.triu(g, k=k),
        formula="x̄ = triu(g)", source="linear; a projection onto entries is its own transpose",
        law=arrangements.TRIANGLES, traits={HOLOMORPHIC}),
    linear("diagonal", np.diagonal, undiagonal,
        formula="x̄ = g on the diagonal, else 0", source="linear; zeros off the diagonal", law=arrangements.diagonals,
        traits={HOLOMORPHIC}),
    linear("diag", np.diag, diag_vjp,
        formula="x̄ = diag(g)", source="linear; a vector goes onto a diagonal, a matrix gives its own",
        law=arrangements.DIAG,
        traits={HOLOMORPHIC}),
    linear("diag_embed", diag_embed, lambda g, x, offset: np.diagonal(g, offset=offset, axis1=-2, axis2=-1),
        formula="x̄ = the diagonal of g", source="linear; each diagonal takes back its entries",
        law=laws.with_parameters(laws.shapes_of(*((s,) for s in laws.up_to(40) if s)), offset=(0, 1, -2)),
        traits={HOLOMORPHIC}),
    linear("astype", astype, lambda g, x, dtype: astype(g, dtype=x.dtype),
        formula="x̄ = g in the precision of x", source="the identity up to rounding",
        law=laws.with_parameters(laws.one_array, dtype=("float64",)), aliases=("cast",)),
)  # fmt: skip

ROWS: tuple[Op, ...] = ONE_ARRAY
