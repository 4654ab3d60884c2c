"""The catalogue's ops as users of torch write them.

Each entry is also read as source, to print scripts: it is an attribute of torch, or a lambda with the
operands by position and the parameters by keyword. Ops that torch lacks have no entry.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import torch
import torch.nn.functional as F  # noqa: N812 - its customary name

from conformance_backends.families import torch_families, torch_further
from conformance_backends.families.torch_axes import expand_dims, from_front, over_merged
from conformance_backends.matrices.torch_matrices import LINEAR_ALGEBRA
from conformance_backends.torch_layers import NEURAL_NETWORKS


def key(index: Any) -> Any:
    """An index in torch's types.

    NumPy broadcasts an integer with the lists of an index, while torch applies it first: a list of one
    integer means the same in both.
    """
    if not any(isinstance(i, list) for i in index):
        return index
    lists = [[i] if isinstance(i, int) else i for i in index]
    return tuple(
        torch.tensor(i, dtype=None if i else torch.long) if isinstance(i, list) else i for i in lists
    )


def flipped(x: Any, index: Any) -> Any:
    """The axes with a negative step in an index, and the index with positive steps once they are flipped.

    torch has no negative steps; its users flip.
    """
    picked = sum(i is not None and i is not Ellipsis for i in index)
    axis, axes, forwards = 0, [], []
    for i in index:
        if isinstance(i, slice) and i.step is not None and i.step < 0:
            places, last = range(*i.indices(x.shape[axis])), x.shape[axis] - 1
            axes.append(axis)
            i = slice(last - places.start, last - places.stop, -places.step)
        forwards.append(i)
        axis += 0 if i is None else x.ndim - picked if i is Ellipsis else 1
    return axes, tuple(forwards)


def getitem(x: Any, index: Any) -> Any:
    """`x[index]`."""
    axes, forwards = flipped(x, index)
    return (torch.flip(x, axes) if axes else x)[key(forwards)]


def index_add(x: Any, values: Any, index: Any) -> Any:
    """`x` with `values` added at `index`; torch's own takes indices along one axis."""
    places = getitem(torch.arange(x.numel()).reshape(x.shape), index)
    return x.flatten().index_add(0, places.flatten(), values.expand(places.shape).flatten()).reshape(x.shape)


def index_update(x: Any, values: Any, index: Any) -> Any:
    """`x` with `values` written at `index`."""
    axes, forwards = flipped(x, index)
    written = torch.flip(x, axes) if axes else x.clone()
    written[key(forwards)] = values
    return torch.flip(written, axes) if axes else written


def median(x: Any, axis: Any, keepdims: Any) -> Any:
    """The median, without its index."""
    return over_merged(lambda rows, dim: torch.median(rows, dim).values, x, axis, keepdims)


def count_nonzero(x: Any, axis: Any, keepdims: Any) -> Any:
    """How many entries are not 0; torch's own keeps no axes."""
    count = torch.count_nonzero(x, dim=axis)
    axes = tuple(range(x.ndim)) if axis is None else (from_front(axis, x.ndim),)
    return expand_dims(count, axes) if keepdims else count


# ---- the tables ---------------------------------------------------------------------------------

ELEMENTWISE: Mapping[str, Callable[..., Any]] = {
    "abs": torch.abs,
    "negative": torch.negative,
    "positive": torch.positive,
    "real": torch.real,  # torch.imag has no entry: it refuses real numbers
    "conj": torch.conj,
    "deg2rad": torch.deg2rad,
    "rad2deg": torch.rad2deg,
    "square": torch.square,
    "sqrt": torch.sqrt,
    "rsqrt": torch.rsqrt,
    "reciprocal": torch.reciprocal,
    "exp": torch.exp,
    "exp2": torch.exp2,
    "expm1": torch.expm1,
    "log": torch.log,
    "log2": torch.log2,
    "log10": torch.log10,
    "log1p": torch.log1p,
    "sin": torch.sin,
    "cos": torch.cos,
    "tan": torch.tan,
    "asin": torch.asin,
    "acos": torch.acos,
    "atan": torch.atan,
    "sinc": torch.sinc,
    "sinh": torch.sinh,
    "cosh": torch.cosh,
    "tanh": torch.tanh,
    "asinh": torch.asinh,
    "acosh": torch.acosh,
    "atanh": torch.atanh,
    "clip": lambda x, min, max: torch.clamp(x, min=min, max=max),
    "add": torch.add,
    "subtract": torch.subtract,
    "multiply": torch.multiply,
    "divide": torch.divide,
    "pow": torch.pow,
    "hypot": torch.hypot,
    "atan2": torch.atan2,
    "logaddexp": torch.logaddexp,
    "logaddexp2": torch.logaddexp2,
    "xlogy": torch.special.xlogy,
    "maximum": torch.maximum,
    "minimum": torch.minimum,
    "where": torch.where,
    "erf": torch.erf,
    "erfc": torch.erfc,
    "gammaln": torch.lgamma,
    "digamma": torch.digamma,
    "polygamma": lambda x, n: torch.polygamma(n, x),
    "nan_to_num": lambda x, nan, posinf, neginf: torch.nan_to_num(x, nan=nan, posinf=posinf, neginf=neginf),
    "remainder": torch.remainder,
    "fmod": torch.fmod,
    "copysign": torch.copysign,
    "lerp": torch.lerp,
    "addcmul": lambda x, a, b, value: torch.addcmul(x, a, b, value=value),
    "addcdiv": lambda x, a, b, value: torch.addcdiv(x, a, b, value=value),
}

# torch reads dim=() as every axis, where the catalogue means none: there the operand is the result.
REDUCTIONS: Mapping[str, Callable[..., Any]] = {
    "sum": lambda x, axis, keepdims: x.clone() if axis == () else torch.sum(x, dim=axis, keepdim=keepdims),
    "mean": lambda x, axis, keepdims: x.clone() if axis == () else torch.mean(x, dim=axis, keepdim=keepdims),
    "prod": lambda x, axis, keepdims: over_merged(torch.prod, x, axis, keepdims),
    "logsumexp": lambda x, axis, keepdims: (
        x.clone()
        if axis == ()
        else torch.logsumexp(x, dim=tuple(range(x.ndim)) if axis is None else axis, keepdim=keepdims)
    ),
    "var": lambda x, axis, keepdims, correction: torch.var(
        x, dim=axis, keepdim=keepdims, correction=correction
    ),
    "std": lambda x, axis, keepdims, correction: torch.std(
        x, dim=axis, keepdim=keepdims, correction=correction
    ),
    "vector_norm": lambda x, axis, keepdims, ord: (
        torch.abs(x) if axis == () else torch.linalg.vector_norm(x, ord, dim=axis, keepdim=keepdims)
    ),
    "max": lambda x, axis, keepdims: x.clone() if axis == () else torch.amax(x, dim=axis, keepdim=keepdims),
    "min": lambda x, axis, keepdims: x.clone() if axis == () else torch.amin(x, dim=axis, keepdim=keepdims),
    "median": median,
    "cumulative_sum": lambda x, axis: torch.cumsum(x.flatten() if axis is None else x, dim=axis or 0),
    "cumulative_prod": lambda x, axis: torch.cumprod(x.flatten() if axis is None else x, dim=axis or 0),
    "logcumsumexp": lambda x, axis: torch.logcumsumexp(x.flatten() if axis is None else x, dim=axis or 0),
    "diff": lambda x, n, axis: torch.diff(x, n=n, dim=axis),
    "cummax": lambda x, axis: torch.cummax(x.flatten() if axis is None else x, dim=axis or 0).values,
    "cummin": lambda x, axis: torch.cummin(x.flatten() if axis is None else x, dim=axis or 0).values,
    "top_k": lambda x, k, axis: torch.topk(x, k, dim=axis).values,
    "quantile": lambda x, q, axis, keepdims, method="linear": over_merged(
        lambda rows, dim: torch.quantile(rows, q, dim, interpolation=method), x, axis, keepdims
    ),
}

SHAPE: Mapping[str, Callable[..., Any]] = {
    "reshape": lambda x, shape: torch.reshape(x, shape),
    "ravel": torch.ravel,
    "expand_dims": expand_dims,
    "squeeze": lambda x, axis: torch.squeeze(x) if axis is None else torch.squeeze(x, axis),
    "permute_dims": lambda x, axes: torch.permute(x, tuple(range(x.ndim))[::-1] if axes is None else axes),
    "swapaxes": lambda x, axis1, axis2: torch.swapaxes(x, axis1, axis2),
    "moveaxis": lambda x, source, destination: torch.moveaxis(x, source, destination),
    "flip": lambda x, axis: torch.flip(
        x, tuple(range(x.ndim)) if axis is None else (axis,) if isinstance(axis, int) else axis
    ),
    "roll": lambda x, shift, axis: torch.roll(x, shift, axis),
    "broadcast_to": lambda x, shape: torch.broadcast_to(x, shape),
    "tile": lambda x, reps: torch.tile(x, (reps,) if isinstance(reps, int) else reps),
    "repeat": lambda x, repeats, axis: torch.repeat_interleave(
        x, repeats if isinstance(repeats, int) else torch.tensor(repeats), dim=axis
    ),
    # torch lists the margins from the last axis to the first.
    "pad": lambda x, pad_width, constant_values: F.pad(
        x,
        torch.tensor(pad_width).broadcast_to(x.ndim, 2).flip(0).flatten().tolist(),
        value=constant_values,
    ),
    "tril": lambda x, k: torch.tril(x, diagonal=k),
    "triu": lambda x, k: torch.triu(x, diagonal=k),
    "diagonal": lambda x, offset, axis1, axis2: torch.diagonal(x, offset=offset, dim1=axis1, dim2=axis2),
    "diag": lambda x, k: torch.diag(x, diagonal=k),
    "astype": lambda x, dtype: x.to(getattr(torch, dtype)),
    "concat": lambda *xs, axis: (
        torch.concat([x.flatten() for x in xs]) if axis is None else torch.concat(xs, dim=axis)
    ),
    "stack": lambda *xs, axis: torch.stack(xs, dim=axis),
    "split": lambda x, indices_or_sections, axis: torch.tensor_split(x, indices_or_sections, dim=axis),
    "unstack": lambda x, axis: torch.unbind(x, dim=axis),
}

INDEXING: Mapping[str, Callable[..., Any]] = {
    "getitem": getitem,
    "getitem_integer_array": getitem,
    "scatter_add": lambda values, index, shape: index_add(
        torch.zeros(shape, dtype=values.dtype), values, index
    ),
    "index_add": index_add,
    "index_update": index_update,
    "take": lambda x, indices, axis: (
        torch.take(x, torch.tensor(indices))
        if axis is None
        else x[
            (slice(None),) * from_front(axis, x.ndim)
            + (indices if isinstance(indices, int) else torch.tensor(indices),)
        ]
    ),
    "take_along_axis": lambda x, indices, axis: torch.take_along_dim(x, indices, dim=axis),
    "masked_fill": lambda x, mask, value: torch.masked_fill(x, mask, value),
    "sort": lambda x, axis: torch.sort(x, dim=axis).values,
}

# No heaviside, no floor_divide: torch has no derivative of them, not even zero, and backward raises.
FLAT: Mapping[str, Callable[..., Any]] = {
    "ceil": torch.ceil,
    "floor": torch.floor,
    "trunc": torch.trunc,
    "rint": torch.round,
    "sign": torch.sign,
    "angle": torch.angle,
    "equal": torch.eq,
    "not_equal": torch.ne,
    "less": torch.lt,
    "less_equal": torch.le,
    "greater": torch.gt,
    "greater_equal": torch.ge,
    "isnan": torch.isnan,
    "isinf": torch.isinf,
    "isfinite": torch.isfinite,
    "signbit": torch.signbit,
    "logical_not": torch.logical_not,
    "logical_and": torch.logical_and,
    "logical_or": torch.logical_or,
    "logical_xor": torch.logical_xor,
    "any": lambda x, axis, keepdims: torch.any(x, dim=axis, keepdim=keepdims),
    "all": lambda x, axis, keepdims: torch.all(x, dim=axis, keepdim=keepdims),
    "argmax": lambda x, axis, keepdims: torch.argmax(x, dim=axis, keepdim=keepdims),
    "argmin": lambda x, axis, keepdims: torch.argmin(x, dim=axis, keepdim=keepdims),
    "argsort": lambda x, axis: torch.argsort(x, dim=axis),
    "count_nonzero": count_nonzero,
}

OPS: Mapping[str, Callable[..., Any]] = {
    **ELEMENTWISE,
    **REDUCTIONS,
    **SHAPE,
    **INDEXING,
    **LINEAR_ALGEBRA,
    **NEURAL_NETWORKS,
    **torch_families.OPS,
    **torch_further.OPS,
    **FLAT,
}
