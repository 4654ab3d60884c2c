"""Slips of a mapping that people make: an op that is nearly the catalogue's, in the reference engine's own calls."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from conformance_backends.numpy_backend import NumpyTape

from conformance.ops import ALL_OPS

R = NumpyTape.ops


def pair(value: tuple[int, int]) -> tuple[int, int]:
    """Height and width in the other order."""
    return (value[1], value[0])


def without(op: str, *names: str, **fixed: Any) -> Callable[..., Any]:
    """The op with parameters that are not handed on: they have the value that is `fixed`."""

    def call(*operands: Any, **parameters: Any) -> Any:
        return R[op](*operands, **{**parameters, **{name: fixed[name] for name in names}})

    return call


def ignoring(op: str, **fixed: Any) -> Callable[..., Any]:
    """The op with these values, whatever is asked for."""
    return without(op, *fixed, **fixed)


def reordered(op: str, *order: int) -> Callable[..., Any]:
    """The op of its operands in another order."""
    return lambda *operands, **parameters: R[op](*(operands[i] for i in order), **parameters)


def _rounded_away(x: Any) -> Any:
    return R["multiply"](
        R["sign"](x), R["floor"](R["add"](R["abs"](x), R["astype"](R["abs"](x), dtype="float64") * 0 + 0.5))
    )


# (what is wrong, the op): the function that an adapter names for it
SLIPS: dict[tuple[str, str], Callable[..., Any]] = {
    ("indices flattened", "take"): lambda x, indices, axis: R["take"](x, indices=np.ravel(indices).tolist(), axis=axis),
    ("axis not handed on", "take"): ignoring("take", axis=0),
    ("padding as width, height", "conv2d"): lambda x, w, b, padding, **p: R["conv2d"](x, w, b, padding=pair(padding), **p),
    ("stride as width, height", "conv2d"): lambda x, w, b, stride, **p: R["conv2d"](x, w, b, stride=pair(stride), **p),
    ("dilation as width, height", "conv2d"): lambda x, w, b, dilation, **p: R["conv2d"](x, w, b, dilation=pair(dilation), **p),
    ("dilation not handed on", "conv2d"): ignoring("conv2d", dilation=(1, 1)),
    ("groups not handed on", "conv1d"): ignoring("conv1d", groups=1),
    ("dilation not handed on", "conv1d"): ignoring("conv1d", dilation=1),
    ("a weight of input channels first", "conv1d"): lambda x, w, b, **p: R["conv1d"](x, R["swapaxes"](w, axis1=0, axis2=1), b, **p),
    ("a kernel that is mirrored", "conv1d"): lambda x, w, b, **p: R["conv1d"](x, R["flip"](w, axis=-1), b, **p),
    ("a kernel that is mirrored", "conv2d"): lambda x, w, b, **p: R["conv2d"](x, R["flip"](w, axis=(-1, -2)), b, **p),
    ("the inverse permutation", "permute_dims"): lambda x, axes: R["permute_dims"](x, axes=axes and tuple(int(i) for i in np.argsort([a % len(axes) for a in axes]))),
    ("the last two axes by default", "permute_dims"): lambda x, axes: R["swapaxes"](x, axis1=-1, axis2=-2) if axes is None and x.ndim > 1 else R["permute_dims"](x, axes=axes),
    ("the last two axes by default", "flip"): lambda x, axis: R["flip"](x, axis=(-1, -2) if axis is None and x.ndim > 1 else axis),
    ("the last two axes by default", "sum"): lambda x, axis, keepdims: R["sum"](x, axis=(-1, -2) if axis is None and x.ndim > 1 else axis, keepdims=keepdims),
    ("source and destination exchanged", "moveaxis"): lambda x, source, destination: R["moveaxis"](x, source=destination, destination=source),
    ("correction not handed on", "var"): ignoring("var", correction=0),
    ("a correction of 1", "std"): ignoring("std", correction=1),
    ("a whole correction", "var"): lambda x, correction, **p: R["var"](x, correction=int(correction), **p),
    ("keepdims not handed on", "mean"): ignoring("mean", keepdims=False),
    ("keepdims not handed on", "argmax"): ignoring("argmax", keepdims=False),
    ("the last axis alone", "sum"): lambda x, axis, keepdims: R["sum"](x, axis=axis[-1] if isinstance(axis, tuple) and axis else axis, keepdims=keepdims),
    ("no axes as all axes", "sum"): lambda x, axis, keepdims: R["sum"](x, axis=axis or (None if axis == () else axis), keepdims=keepdims),
    ("the axis over which it is", "softmax"): ignoring("softmax", axis=-1),
    ("the axis over which it is", "log_softmax"): ignoring("log_softmax", axis=0),
    ("the axis of a norm", "vector_norm"): ignoring("vector_norm", axis=None),
    ("the order of a norm", "vector_norm"): ignoring("vector_norm", ord=2),
    ("a Frobenius norm alone", "vector_norm"): lambda x, axis, keepdims, ord: R["vector_norm"](x, axis=axis, keepdims=keepdims, ord=2 if x.ndim == 2 and axis is None else ord),
    ("the first axis", "layer_norm"): lambda x, w, b, eps: R["swapaxes"](R["layer_norm"](R["swapaxes"](x, axis1=0, axis2=-1), w, b, eps=eps), axis1=0, axis2=-1) if x.ndim > 1 and x.shape[0] == x.shape[-1] else R["layer_norm"](x, w, b, eps=eps),
    ("eps not handed on", "layer_norm"): ignoring("layer_norm", eps=1e-5),
    ("eps not handed on", "batch_norm"): ignoring("batch_norm", eps=1e-5),
    ("eps not handed on", "rms_norm"): ignoring("rms_norm", eps=1e-5),
    ("eps squared", "rms_norm"): lambda x, w, eps: R["rms_norm"](x, w, eps=eps * eps),
    ("the natural logarithm", "log2"): R["log"],
    ("another base", "log10"): R["log2"],
    ("another base", "logaddexp2"): R["logaddexp"],
    ("the formula with erf", "gelu_tanh"): lambda x: R["multiply"](x, R["sigmoid"](R["multiply"](x, np.asarray(1.702, x.dtype)))),
    ("the sum", "mse"): ignoring("mse", reduction="sum"),
    ("the mean", "l1"): ignoring("l1", reduction="mean"),
    ("reduction not handed on", "cross_entropy"): ignoring("cross_entropy", reduction="mean"),
    ("the mean over the batch", "kl_div"): lambda x, y, reduction, **p: R["divide"](R["kl_div"](x, y, reduction="sum", **p), np.asarray(float(x.shape[0] if x.ndim else 1), x.dtype)) if reduction == "mean" else R["kl_div"](x, y, reduction=reduction, **p),
    ("beta for delta", "huber"): lambda x, y, reduction, delta: R["smooth_l1"](x, y, reduction=reduction, beta=delta),
    ("operands exchanged", "binary_cross_entropy"): reordered("binary_cross_entropy", 1, 0),
    ("operands exchanged", "kl_div"): lambda x, y, **p: R["kl_div"](y, x, **p),
    ("operands exchanged", "atan2"): reordered("atan2", 1, 0),
    ("operands exchanged", "where"): reordered("where", 0, 2, 1),
    ("operands exchanged", "lerp"): reordered("lerp", 1, 0, 2),
    ("operands exchanged", "kron"): reordered("kron", 1, 0),
    ("operands exchanged", "heaviside"): reordered("heaviside", 1, 0),
    ("bounds exchanged", "clip"): lambda x, min, max: R["clip"](x, min=max, max=min),
    ("the lower bound alone", "clip"): lambda x, min, max: R["clip"](x, min=min, max=None) if min is not None else R["clip"](x, min=min, max=max),
    ("bounds the other way round", "clip"): lambda x, min, max: R["clip"](x, min=min, max=max) if min is None or max is None or min <= max else R["clip"](x, min=max, max=min),
    ("pairs of the last axis first", "pad"): lambda x, pad_width, constant_values: R["pad"](x, pad_width=pad_width[::-1] if isinstance(pad_width, tuple) and isinstance(pad_width[0], tuple) else pad_width, constant_values=constant_values),
    ("after before before", "pad"): lambda x, pad_width, constant_values: R["pad"](x, pad_width=tuple(p[::-1] for p in pad_width) if isinstance(pad_width, tuple) and isinstance(pad_width[0], tuple) else pad_width, constant_values=constant_values),
    ("zeros", "pad"): ignoring("pad", constant_values=0.0),
    ("the offset", "trace"): ignoring("trace", offset=0),
    ("the diagonal below for that above", "tril"): lambda x, k: R["tril"](x, k=-k),
    ("the diagonal", "triu"): ignoring("triu", k=0),
    ("axes of a diagonal", "diagonal"): lambda x, offset, axis1, axis2: R["diagonal"](x, offset=offset, axis1=0, axis2=1),
    ("the last axis", "cumulative_sum"): ignoring("cumulative_sum", axis=-1),
    ("the first axis", "cumulative_prod"): ignoring("cumulative_prod", axis=0),
    ("the last axis", "vecdot"): ignoring("vecdot", axis=-1),
    ("whole arrays tiled", "repeat"): lambda x, repeats, axis: R["tile"](x, reps=repeats) if isinstance(repeats, int) and axis is None else R["repeat"](x, repeats=repeats, axis=axis),
    ("entries repeated", "tile"): lambda x, reps: R["repeat"](x, repeats=reps, axis=0) if isinstance(reps, int) and x.ndim == 1 else R["tile"](x, reps=reps),
    ("all axes of one entry", "squeeze"): lambda x, axis: R["squeeze"](x, axis=None),
    ("the other direction", "roll"): lambda x, shift, axis: R["roll"](x, shift=tuple(-s for s in shift) if isinstance(shift, tuple) else -shift, axis=axis),
    ("axis not handed on", "flip"): ignoring("flip", axis=None),
    ("sizes for sections", "split"): lambda x, indices_or_sections, axis: R["split"](x, indices_or_sections=x.shape[axis] // indices_or_sections, axis=axis) if isinstance(indices_or_sections, int) else R["split"](x, indices_or_sections=indices_or_sections, axis=axis),
    ("the first axis", "unstack"): ignoring("unstack", axis=0),
    ("the first axis", "stack"): ignoring("stack", axis=0),
    ("one difference", "diff"): ignoring("diff", n=1),
    ("largest first", "sort"): lambda x, axis: R["flip"](R["sort"](x, axis=axis), axis=axis),
    ("values of the last index", "scatter_add"): lambda x, index, shape: R["index_update"](np.zeros(shape, x.dtype), x, index=index),
    ("values of the last index", "index_add"): lambda x, y, index: R["index_update"](x, R["add"](R["getitem"](x, index=index) if not any(isinstance(i, list) for i in index) else R["getitem_integer_array"](x, index=index), y), index=index),
    ("positions as numbers", "argsort"): lambda x, axis: R["astype"](R["argsort"](x, axis=axis), dtype="float64"),
    ("positions as numbers", "argmax"): lambda x, axis, keepdims: R["astype"](R["argmax"](x, axis=axis, keepdims=keepdims), dtype="float64"),
    ("ties away from zero", "rint"): lambda x: R["multiply"](R["sign"](x), R["floor"](R["add"](R["abs"](x), np.asarray(0.5, x.dtype)))),
    ("towards zero", "floor"): R["trunc"],
    ("towards zero", "floor_divide"): lambda x, y: R["trunc"](R["divide"](x, y)),
    ("the slope not handed on", "leaky_relu"): ignoring("leaky_relu", negative_slope=0.01),
    ("alpha not handed on", "elu"): ignoring("elu", alpha=1.0),
    ("alpha as in elu", "celu"): lambda x, alpha: R["elu"](x, alpha=alpha),
    ("the slope of 0.2", "hard_sigmoid"): lambda x: R["clip"](R["add"](R["multiply"](x, np.asarray(0.2, x.dtype)), np.asarray(0.5, x.dtype)), min=0.0, max=1.0),
    ("a mask that keeps", "masked_fill"): lambda x, mask, value: R["masked_fill"](x, R["logical_not"](mask), value=value),
    ("the transposed system", "solve"): lambda a, b: R["solve"](R["swapaxes"](a, axis1=-1, axis2=-2), b),
    ("the upper factor", "cholesky"): lambda x, upper: R["cholesky"](x, upper=not upper),
    ("a stride of the kernel", "avg_pool2d"): lambda x, kernel_size, stride, **p: R["avg_pool2d"](x, kernel_size=kernel_size, stride=kernel_size, **p),
    ("the margin counted", "avg_pool2d"): ignoring("avg_pool2d", count_include_pad=True),
    ("a margin of zeros", "max_pool2d"): lambda x, padding, **p: R["max_pool2d"](R["pad"](x, pad_width=((0, 0), (0, 0), (padding[0],) * 2, (padding[1],) * 2), constant_values=0), padding=(0, 0), **p),
    ("a kernel as width, height", "max_pool2d"): lambda x, kernel_size, **p: R["max_pool2d"](x, kernel_size=pair(kernel_size), **p),
    ("a weight of inputs first", "linear"): lambda x, w, b: R["add"](R["matmul"](x, w), b) if w.shape[0] == w.shape[1] else R["linear"](x, w, b),
    ("axes counted, not named", "tensordot"): lambda x, y, axes: R["tensordot"](x, y, axes=axes if isinstance(axes, int) else len(axes[0])),
    ("not masked", "scaled_dot_product_attention"): ignoring("scaled_dot_product_attention", is_causal=False),
    ("not scaled", "scaled_dot_product_attention"): lambda q, k, v, is_causal: R["scaled_dot_product_attention"](R["multiply"](q, np.asarray(float(np.sqrt(q.shape[-1])), q.dtype)), k, v, is_causal=is_causal),
    ("value not handed on", "addcmul"): ignoring("addcmul", value=1.0),
    ("value twice", "addcdiv"): lambda x, y, z, value: R["addcdiv"](x, y, z, value=value * abs(value)),
    ("halves of the first axis", "glu"): ignoring("glu", axis=0),
    ("the other half", "glu"): lambda x, axis: R["glu"](R["concat"](*R["split"](x, indices_or_sections=2, axis=axis)[::-1], axis=axis), axis=axis),
    ("matrices element by element", "matmul"): lambda x, y: R["multiply"](x, y) if x.shape == y.shape and x.ndim == 2 else R["matmul"](x, y),
    ("batches of the right side", "dot"): R["matmul"],
    ("a power of each entry", "matrix_power"): lambda x, n: R["pow"](x, np.asarray(float(n), x.dtype)),
    ("truth values as positions", "getitem_integer_array"): lambda x, index: R["getitem_integer_array"](x, index=tuple([int(i) for i in part] if isinstance(part, list) and part and isinstance(part[0], bool) else part for part in index)),
    ("computed in float32", "exp"): lambda x: R["astype"](R["exp"](R["astype"](x, dtype="float32")), dtype=x.dtype.name),
}  # fmt: skip

assert {op for _, op in SLIPS} <= set(ALL_OPS)
