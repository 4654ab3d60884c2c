"""Layers: the parametrised functions a network is built from.

Images are (N, C, H, W). Convolution and pooling are products and means over `unfold`, which copies
every window into a column; `fold` adds columns back, so the two are each other's rule.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from conformance.op import DISTINCT, REAL, Choose, Law, Op, Shape, Signature, index_below
from conformance.ops import laws
from conformance.ops.activations import softmax
from conformance.ops.dispatch import dispatched
from conformance.ops.indexing import scatter_add
from conformance.ops.reductions import routed
from conformance.ops.rows import general, linear, unbroadcast
from conformance.ops.traits import HOLOMORPHIC, LINEAR, PIECEWISE_LINEAR, Homogeneous, Shift

Pair = tuple[int, int]


# -- windows ---------------------------------------------------------------------------------------


def steps(length: int, size: int, stride: int, padding: int, dilation: int) -> int:
    """How many windows fit along an axis."""
    return (length + 2 * padding - dilation * (size - 1) - 1) // stride + 1


def window_counts(
    image: tuple[int, ...], kernel_size: Pair, stride: Pair, padding: Pair, dilation: Pair
) -> tuple[int, ...]:
    """How many windows fit along the height and the width."""
    return tuple(steps(*given) for given in zip(image, kernel_size, stride, padding, dilation, strict=True))


def window_entry(i: int, j: int, counts: tuple[int, ...], stride: Pair, dilation: Pair) -> tuple[Any, ...]:
    """The index into the padded image of entry (i, j) of every window."""
    starts = (i * dilation[0], j * dilation[1])
    spans = zip(starts, counts, stride, strict=True)
    return (Ellipsis, *(slice(start, start + count * step, step) for start, count, step in spans))


@dispatched
def unfold(
    x: Any, *, kernel_size: Pair, stride: Pair = (1, 1), padding: Pair = (0, 0), dilation: Pair = (1, 1)
) -> Any:
    """Every window of the zero-padded image as a column: (N, C·kh·kw, windows)."""
    n, c, *image = x.shape
    counts = window_counts(tuple(image), kernel_size, stride, padding, dilation)
    padded = np.pad(x, ((0, 0), (0, 0), (padding[0],) * 2, (padding[1],) * 2))
    entries = [
        padded[window_entry(i, j, counts, stride, dilation)]
        for i in range(kernel_size[0])
        for j in range(kernel_size[1])
    ]
    return np.stack(entries, axis=2).reshape(n, c * kernel_size[0] * kernel_size[1], counts[0] * counts[1])


@dispatched
def fold(
    columns: Any,
    *,
    output_size: Pair,
    kernel_size: Pair,
    stride: Pair = (1, 1),
    padding: Pair = (0, 0),
    dilation: Pair = (1, 1),
) -> Any:
    """The columns added back into an image of `output_size`, where windows overlap their sum."""
    counts = window_counts(output_size, kernel_size, stride, padding, dilation)
    n, area = columns.shape[0], kernel_size[0] * kernel_size[1]
    entries = columns.reshape(n, -1, *kernel_size, *counts)
    height, width = (size + 2 * margin for size, margin in zip(output_size, padding, strict=True))
    padded = np.zeros((n, columns.shape[1] // area, height, width), dtype=columns.dtype)
    for i in range(kernel_size[0]):
        for j in range(kernel_size[1]):
            padded[window_entry(i, j, counts, stride, dilation)] += entries[:, :, i, j]
    return padded[:, :, padding[0] : height - padding[0], padding[1] : width - padding[1]]


def windows(x: Any, kernel_size: Pair, stride: Pair) -> Any:
    """The windows of each channel: (N, C, kh·kw, windows)."""
    n, c = np.shape(x)[:2]
    columns = unfold(x, kernel_size=kernel_size, stride=stride)
    return np.reshape(columns, shape=(n, c, kernel_size[0] * kernel_size[1], -1))


def unwindowed(cotangents: Any, x: Any, kernel_size: Pair, stride: Pair) -> Any:
    """The transpose of `windows`: the cotangents of the windows added up in the image."""
    n, c, height, width = np.shape(x)
    columns = np.reshape(cotangents, shape=(n, c * kernel_size[0] * kernel_size[1], -1))
    return fold(columns, output_size=(height, width), kernel_size=kernel_size, stride=stride)


# -- convolution -----------------------------------------------------------------------------------


def grouped_columns(x: Any, weight: Any, groups: int, **geometry: Pair) -> Any:
    """The windows of each group of channels: (N, groups, C/groups·kh·kw, windows)."""
    columns = unfold(x, kernel_size=np.shape(weight)[2:], **geometry)
    n, rows, count = np.shape(columns)
    return np.reshape(columns, shape=(n, groups, rows // groups, count))


def grouped_kernels(weight: Any, groups: int) -> Any:
    """The kernels of each group as the rows of a matrix: (groups, O/groups, C/groups·kh·kw)."""
    out, c, height, width = np.shape(weight)
    return np.reshape(weight, shape=(groups, out // groups, c * height * width))


def grouped_results(g: Any, groups: int) -> Any:
    """The results of each group: (N, groups, O/groups, windows)."""
    n, out, height, width = np.shape(g)
    return np.reshape(g, shape=(n, groups, out // groups, height * width))


@dispatched
def conv2d(
    x: Any, weight: Any, bias: Any, *, stride: Pair, padding: Pair, dilation: Pair, groups: int
) -> Any:
    """The correlation of the image with each kernel, plus the bias of its channel."""
    geometry = {"stride": stride, "padding": padding, "dilation": dilation}
    columns = grouped_columns(x, weight, groups, **geometry)
    products = np.matmul(grouped_kernels(weight, groups), columns)
    counts = window_counts(x.shape[2:], weight.shape[2:], stride, padding, dilation)
    return products.reshape(x.shape[0], weight.shape[0], *counts) + bias[:, None, None]


def conv2d_image(g: Any, z: Any, x: Any, weight: Any, bias: Any, groups: int, **geometry: Pair) -> Any:
    """fold(Wᵀ g)."""
    kernels = np.swapaxes(grouped_kernels(weight, groups), axis1=-1, axis2=-2)
    columns = np.matmul(kernels, grouped_results(g, groups))
    n, _, rows, count = np.shape(columns)
    columns = np.reshape(columns, shape=(n, groups * rows, count))
    return fold(columns, output_size=np.shape(x)[2:], kernel_size=np.shape(weight)[2:], **geometry)


def conv2d_kernels(g: Any, z: Any, x: Any, weight: Any, bias: Any, groups: int, **geometry: Pair) -> Any:
    """Σ g unfold(x)ᵀ over the batch."""
    columns = np.swapaxes(grouped_columns(x, weight, groups, **geometry), axis1=-1, axis2=-2)
    return np.reshape(np.sum(np.matmul(grouped_results(g, groups), columns), axis=0), shape=np.shape(weight))


def as_image(x: Any) -> Any:
    """A signal (N, C, L) as an image of height 1."""
    return np.expand_dims(x, axis=2)


def flat_geometry(stride: int, padding: int, dilation: int) -> dict[str, Pair]:
    """The geometry of a signal's windows as that of an image's."""
    return {"stride": (1, stride), "padding": (0, padding), "dilation": (1, dilation)}


@dispatched
def conv1d(x: Any, weight: Any, bias: Any, *, stride: int, padding: int, dilation: int, groups: int) -> Any:
    """The correlation of the signal with each kernel, plus the bias of its channel."""
    geometry = flat_geometry(stride, padding, dilation)
    return conv2d(as_image(x), as_image(weight), bias, groups=groups, **geometry)[:, :, 0]


def conv1d_from(rule: Any, operand: int) -> Any:
    """The rule of conv1d for an operand: conv2d's on images of height 1."""

    def vjp(g: Any, z: Any, *operands: Any, groups: int, **given: int) -> Any:
        x, weight, bias = operands
        whole = rule(
            as_image(g), z, as_image(x), as_image(weight), bias, groups=groups, **flat_geometry(**given)
        )
        return np.reshape(whole, shape=np.shape(operands[operand]))

    return vjp


# -- pooling ---------------------------------------------------------------------------------------


def pooled(x: Any, kernel_size: Pair, stride: Pair) -> tuple[int, ...]:
    """The shape that pooling gives."""
    return (*x.shape[:2], *window_counts(x.shape[2:], kernel_size, stride, (0, 0), (1, 1)))


@dispatched
def avg_pool2d(x: Any, *, kernel_size: Pair, stride: Pair) -> Any:
    """The mean of every window."""
    return np.mean(windows(x, kernel_size, stride), axis=2).reshape(pooled(x, kernel_size, stride))


@dispatched
def max_pool2d(x: Any, *, kernel_size: Pair, stride: Pair) -> Any:
    """The largest entry of every window."""
    return np.max(windows(x, kernel_size, stride), axis=2).reshape(pooled(x, kernel_size, stride))


def flattened(z: Any) -> Any:
    """An image's two axes as one."""
    return np.reshape(z, shape=(*np.shape(z)[:2], -1))


def avg_pool2d_vjp(g: Any, x: Any, kernel_size: Pair, stride: Pair) -> Any:
    """Each window's cotangent shared by its entries."""
    area = kernel_size[0] * kernel_size[1]
    each = np.expand_dims(flattened(g) / area, axis=2)
    n, c, _, count = np.shape(each)
    return unwindowed(np.broadcast_to(each, shape=(n, c, area, count)), x, kernel_size, stride)


def max_pool2d_vjp(g: Any, z: Any, x: Any, kernel_size: Pair, stride: Pair) -> Any:
    """Each window's cotangent at its largest entry."""
    at_largest = routed(flattened(g), flattened(z), windows(x, kernel_size, stride), 2)
    return unwindowed(at_largest, x, kernel_size, stride)


# -- linear, embedding, attention ------------------------------------------------------------------


@dispatched
def linear_layer(x: Any, weight: Any, bias: Any) -> Any:
    """x Wᵀ + b, the weight being (out, in)."""
    return np.matmul(x, np.swapaxes(weight, -1, -2)) + bias


def linear_weight(g: Any, z: Any, x: Any, weight: Any, bias: Any) -> Any:
    """gᵀ x, summed over the batch."""
    batch = list(range(np.ndim(x) - 1))
    return np.tensordot(g, x, axes=(batch, batch))


@dispatched
def embedding(weight: Any, indices: Any) -> Any:
    """The rows of the table that the indices name."""
    return weight[indices]


def attention_weights(q: Any, k: Any, is_causal: bool) -> Any:
    """softmax(q kᵀ/√d), nothing from later keys where causal."""
    scores = np.matmul(q, np.swapaxes(k, axis1=-1, axis2=-2)) / np.shape(q)[-1] ** 0.5
    if is_causal:
        is_seen = np.tri(*np.shape(scores)[-2:]) > 0
        scores = np.where(is_seen, scores, -np.inf)
    return softmax(scores, axis=-1)


@dispatched
def scaled_dot_product_attention(q: Any, k: Any, v: Any, *, is_causal: bool) -> Any:
    """softmax(q kᵀ/√d) v."""
    return np.matmul(attention_weights(q, k, is_causal), v)


def score_cotangents(g: Any, q: Any, k: Any, v: Any, is_causal: bool) -> Any:
    """softmax's rule on g vᵀ, over √d."""
    weights = attention_weights(q, k, is_causal)
    pulled = np.matmul(g, np.swapaxes(v, axis1=-1, axis2=-2))
    return weights * (pulled - np.sum(pulled * weights, axis=-1, keepdims=True)) / np.shape(q)[-1] ** 0.5


def attention_query(g: Any, z: Any, q: Any, k: Any, v: Any, is_causal: bool) -> Any:
    """s̄ k."""
    return np.matmul(score_cotangents(g, q, k, v, is_causal), k)


def attention_key(g: Any, z: Any, q: Any, k: Any, v: Any, is_causal: bool) -> Any:
    """s̄ᵀ q."""
    return np.matmul(np.swapaxes(score_cotangents(g, q, k, v, is_causal), axis1=-1, axis2=-2), q)


def attention_value(g: Any, z: Any, q: Any, k: Any, v: Any, is_causal: bool) -> Any:
    """wᵀ g."""
    return np.matmul(np.swapaxes(attention_weights(q, k, is_causal), axis1=-1, axis2=-2), g)


# -- normalisation ---------------------------------------------------------------------------------
# Over axes that are -1 (layer norm) or all but the channels (batch norm): the same three lines.


def standardised(x: Any, axis: Any, eps: float) -> tuple[Any, Any]:
    """(x − μ)/σ and 1/σ, where σ² = variance + eps."""
    centred = x - np.mean(x, axis=axis, keepdims=True)
    scale = 1 / np.sqrt(np.mean(centred * centred, axis=axis, keepdims=True) + eps)
    return centred * scale, scale


def standardised_vjp(g: Any, x: Any, axis: Any, eps: float) -> Any:
    """(g − mean g − x̂ mean(g x̂))/σ."""
    unit, scale = standardised(x, axis, eps)
    projection = unit * np.mean(g * unit, axis=axis, keepdims=True)
    return scale * (g - np.mean(g, axis=axis, keepdims=True) - projection)


@dispatched
def layer_norm(x: Any, weight: Any, bias: Any, *, eps: float) -> Any:
    """The last axis at mean 0 and variance 1, times weight plus bias."""
    return standardised(x, -1, eps)[0] * weight + bias


@dispatched
def rms_norm(x: Any, weight: Any, *, eps: float) -> Any:
    """The last axis over its root mean square, times weight."""
    return x / np.sqrt(np.mean(x * x, axis=-1, keepdims=True) + eps) * weight


def rms_norm_vjp(g: Any, z: Any, x: Any, weight: Any, eps: float) -> Any:
    """(g w − x̂ mean(g w x̂))/r."""
    scale = 1 / np.sqrt(np.mean(x * x, axis=-1, keepdims=True) + eps)
    unit = x * scale
    return scale * (g * weight - unit * np.mean(g * weight * unit, axis=-1, keepdims=True))


def rms_norm_weight(g: Any, z: Any, x: Any, weight: Any, eps: float) -> Any:
    """g x̂."""
    return unbroadcast(g * x / np.sqrt(np.mean(x * x, axis=-1, keepdims=True) + eps), np.shape(weight))


def but_channels(x: Any) -> tuple[int, ...]:
    """Every axis but the channels'."""
    return tuple(axis for axis in range(np.ndim(x)) if axis != 1)


def per_channel(v: Any, x: Any) -> Any:
    """A vector with an entry for each channel, against `x`."""
    return np.reshape(v, shape=tuple(n if axis == 1 else 1 for axis, n in enumerate(np.shape(x))))


@dispatched
def batch_norm(x: Any, weight: Any, bias: Any, *, eps: float) -> Any:
    """Each channel at mean 0 and variance 1 over the batch, times weight plus bias (training)."""
    return standardised(x, but_channels(x), eps)[0] * per_channel(weight, x) + per_channel(bias, x)


def batch_norm_vjp(g: Any, z: Any, x: Any, weight: Any, bias: Any, eps: float) -> Any:
    """The standardisation's rule on g w."""
    return standardised_vjp(g * per_channel(weight, x), x, but_channels(x), eps)


def batch_norm_weight(g: Any, z: Any, x: Any, weight: Any, bias: Any, eps: float) -> Any:
    """Σ g x̂ over all but the channels."""
    return np.sum(g * standardised(x, but_channels(x), eps)[0], axis=but_channels(x))


# -- laws ------------------------------------------------------------------------------------------

LINEAR_LAYER = laws.shapes_of(
    ((2, 3), (2, 3), (2,)), ((3, 3), (3, 3), (3,)), ((3,), (2, 3), (2,)), ((2, 1, 3), (2, 3), (2,)),
    ((3, 3, 3), (3, 3), (3,)),
    ((0, 3), (2, 3), (2,)),
)  # fmt: skip
NORMED = ((2, 3), (3, 3), (3,), (2, 2, 3), (3, 3, 3))
LAYER_NORM = laws.shapes_of(*((s, s[-1:], s[-1:]) for s in NORMED), eps=(1e-5, 0.1))
RMS_NORM = laws.shapes_of(*((s, s[-1:]) for s in NORMED), eps=(1e-5, 0.1))
BATCH_NORM = laws.shapes_of(
    *((s, s[1:2], s[1:2]) for s in ((4, 3), (3, 3), (2, 2, 3), (2, 3, 2, 2))), eps=(1e-5, 0.1)
)
ATTENTION = laws.shapes_of(
    ((2, 3), (4, 3), (4, 2)), ((3, 3), (3, 3), (3, 3)), ((2, 2, 3), (2, 3, 3), (2, 3, 2)),
    ((2, 1, 2, 2), (2, 1, 2, 2), (2, 1, 2, 2)),
    is_causal=(False, True),
)  # fmt: skip

#        image         kernels       stride  padding dilation groups
CONV2D: tuple[tuple[Shape, Shape, Pair, Pair, Pair, int], ...] = (
    ((1, 1, 3, 3), (1, 1, 2, 2), (1, 1), (0, 0), (1, 1), 1),
    ((2, 2, 3, 4), (3, 2, 2, 2), (1, 1), (0, 0), (1, 1), 1),
    ((1, 2, 4, 4), (2, 2, 3, 3), (1, 1), (1, 1), (1, 1), 1),
    ((1, 1, 5, 4), (2, 1, 2, 2), (2, 1), (0, 1), (1, 1), 1),
    ((1, 1, 6, 5), (1, 1, 2, 2), (2, 2), (0, 0), (1, 1), 1),
    ((1, 1, 5, 5), (2, 1, 2, 3), (1, 2), (1, 0), (2, 1), 1),
    ((2, 2, 3, 3), (4, 1, 2, 2), (1, 1), (0, 0), (1, 1), 2),
    ((1, 4, 3, 3), (2, 2, 2, 2), (1, 1), (1, 0), (1, 1), 2),
    ((1, 3, 3, 3), (3, 1, 3, 3), (1, 1), (1, 1), (1, 1), 3),
    ((1, 3, 2, 2), (3, 3, 1, 1), (1, 1), (0, 0), (1, 1), 1),
)
#        signal     kernels    stride padding dilation groups
CONV1D: tuple[tuple[Shape, Shape, int, int, int, int], ...] = (
    ((1, 1, 3), (1, 1, 2), 1, 0, 1, 1),
    ((2, 2, 4), (3, 2, 3), 1, 0, 1, 1),
    ((2, 3, 3), (3, 3, 3), 1, 1, 1, 1),
    ((1, 2, 6), (2, 2, 2), 2, 1, 1, 1),
    ((1, 1, 6), (2, 1, 2), 3, 0, 2, 1),
    ((2, 4, 3), (2, 2, 2), 1, 0, 1, 2),
)
#        image         kernel  stride
POOLING: tuple[tuple[Shape, Pair, Pair], ...] = (
    ((1, 1, 4, 4), (2, 2), (2, 2)),
    ((2, 2, 3, 3), (2, 2), (1, 1)),
    ((1, 3, 3, 4), (3, 2), (1, 2)),
    ((1, 1, 5, 5), (2, 3), (2, 2)),
    ((2, 1, 3, 3), (1, 1), (2, 2)),
)
#        image         kernel  stride  padding dilation
UNFOLDING: tuple[tuple[Shape, Pair, Pair, Pair, Pair], ...] = (
    ((1, 1, 3, 3), (2, 2), (1, 1), (0, 0), (1, 1)),
    ((2, 2, 3, 4), (2, 3), (1, 1), (0, 0), (1, 1)),
    ((1, 2, 4, 4), (2, 2), (2, 2), (1, 1), (1, 1)),
    ((1, 1, 5, 4), (2, 2), (2, 1), (1, 0), (2, 1)),
    ((1, 3, 3, 3), (3, 3), (1, 1), (1, 1), (1, 1)),
)


def convolving(calls: Any) -> Law:
    """An image or signal, kernels, a bias for each of them, and the geometry."""

    def law(choose: Choose) -> Signature:
        x, weight, stride, padding, dilation, groups = choose(calls)
        parameters = {"stride": stride, "padding": padding, "dilation": dilation, "groups": groups}
        return Signature((x, weight, weight[:1]), parameters)

    return law


def pooling(choose: Choose) -> Signature:
    """An image, the size of the windows and the steps between them."""
    shape, kernel_size, stride = choose(POOLING)
    return Signature((shape,), {"kernel_size": kernel_size, "stride": stride})


def unfolding(choose: Choose) -> Signature:
    """An image and the geometry of its windows."""
    shape, kernel_size, stride, padding, dilation = choose(UNFOLDING)
    geometry = {"kernel_size": kernel_size, "stride": stride, "padding": padding, "dilation": dilation}
    return Signature((shape,), geometry)


def folding(choose: Choose) -> Signature:
    """Columns of the shape that unfolding gives, and the image's size."""
    image = unfolding(choose)
    columns = np.shape(unfold(np.empty(image.shapes[0]), **image.parameters))
    return Signature((columns,), {"output_size": image.shapes[0][2:], **image.parameters})


def looking_up(choose: Choose) -> Signature:
    """A table, and indices of its rows, which may repeat."""
    rows, columns = choose(((3, 2), (3, 3), (1, 3), (4, 1)))
    indices = choose(((3,), (), (2, 3), (3, 3), (0,)))
    return Signature(((rows, columns), indices), domains=(REAL, index_below(rows)))


# -- dense -----------------------------------------------------------------------------------------

DENSE = (
    general("linear", linear_layer, lambda g, z, x, weight, bias: np.matmul(g, weight), linear_weight,
        lambda g, z, x, weight, bias: unbroadcast(g, np.shape(bias)),
        formula="x̄ = g W, W̄ = gᵀ x, b̄ = Σ g",
        source="matmul's rule at Wᵀ, the bias broadcast over the batch", law=LINEAR_LAYER,
        traits={HOLOMORPHIC, Homogeneous(1, of=(0, 2)), Homogeneous(1, of=(1, 2))}),
    general("embedding", embedding,
        lambda g, z, weight, indices: scatter_add(g, index=(indices,), shape=np.shape(weight)), None,
        formula="W̄[indices] += g, 0 elsewhere",
        source="linear in the table; rows named twice receive both cotangents",
        domains=[REAL, index_below(1)], law=looking_up, traits={HOLOMORPHIC, LINEAR}),
    general("scaled_dot_product_attention", scaled_dot_product_attention, attention_query, attention_key,
        attention_value,
        formula="v̄ = wᵀg, s̄ = w · (g vᵀ − Σ w · g vᵀ)/√d, q̄ = s̄ k, k̄ = s̄ᵀ q",
        source="Vaswani et al. 2017, eq. 1; matmul's and softmax's rules", law=ATTENTION,
        traits={Homogeneous(1, of=(2,))}),
)  # fmt: skip

# -- normalisation ---------------------------------------------------------------------------------

NORMALISATION = (
    general("layer_norm", layer_norm,
        lambda g, z, x, weight, bias, eps: standardised_vjp(g * weight, x, -1, eps),
        lambda g, z, x, weight, bias, eps: unbroadcast(g * standardised(x, -1, eps)[0], np.shape(weight)),
        lambda g, z, x, weight, bias, eps: unbroadcast(g, np.shape(bias)),
        formula="x̄ = (gw − mean gw − x̂ mean(gw x̂))/σ, w̄ = Σ g x̂, b̄ = Σ g",
        source="Ba, Kiros and Hinton 2016, eq. 4; chain rule through μ and σ", law=LAYER_NORM,
        traits={Homogeneous(1, of=(1, 2)), Shift(0)}),
    general("rms_norm", rms_norm, rms_norm_vjp, rms_norm_weight,
        formula="x̄ = (gw − x̂ mean(gw x̂))/r, w̄ = Σ g x̂",
        source="Zhang and Sennrich 2019, eq. 4; chain rule through r", law=RMS_NORM,
        traits={Homogeneous(1, of=(1,))}),
    general("batch_norm", batch_norm, batch_norm_vjp, batch_norm_weight,
        lambda g, z, x, weight, bias, eps: np.sum(g, axis=but_channels(x)),
        formula="x̄ = (gw − mean gw − x̂ mean(gw x̂))/σ, w̄ = Σ g x̂, b̄ = Σ g",
        source="Ioffe and Szegedy 2015, section 3; chain rule through μ and σ", law=BATCH_NORM,
        traits={Homogeneous(1, of=(1, 2))}),
)  # fmt: skip

# -- convolution and pooling -----------------------------------------------------------------------

CONVOLUTION = (
    linear("unfold", unfold, lambda g, x, **geometry: fold(g, output_size=np.shape(x)[2:], **geometry),
        formula="x̄ = fold(g)", source="linear; the transpose of copying windows adds them back",
        law=unfolding, aliases=("im2col",), traits={HOLOMORPHIC}),
    linear("fold", fold, lambda g, x, output_size, **geometry: unfold(g, **geometry),
        formula="x̄ = unfold(g)", source="the transpose of unfold", law=folding, aliases=("col2im",),
        traits={HOLOMORPHIC}),
    general("conv1d", conv1d, conv1d_from(conv2d_image, 0), conv1d_from(conv2d_kernels, 1),
        lambda g, z, x, weight, bias, **_: np.sum(g, axis=(0, 2)),
        formula="x̄ = fold(Wᵀ g), W̄ = Σ g unfold(x)ᵀ, b̄ = Σ g", source="matmul's rule on W unfold(x)",
        law=convolving(CONV1D), traits={HOLOMORPHIC, Homogeneous(1, of=(0, 2)), Homogeneous(1, of=(1, 2))}),
    general("conv2d", conv2d, conv2d_image, conv2d_kernels,
        lambda g, z, x, weight, bias, **_: np.sum(g, axis=(0, 2, 3)),
        formula="x̄ = fold(Wᵀ g), W̄ = Σ g unfold(x)ᵀ, b̄ = Σ g", source="matmul's rule on W unfold(x)",
        law=convolving(CONV2D), traits={HOLOMORPHIC, Homogeneous(1, of=(0, 2)), Homogeneous(1, of=(1, 2))}),
    linear("avg_pool2d", avg_pool2d, avg_pool2d_vjp,
        formula="x̄ = fold(g / area)", source="the mean's rule on unfold(x)", law=pooling,
        traits={HOLOMORPHIC}),
    general("max_pool2d", max_pool2d, max_pool2d_vjp,
        formula="x̄ = fold(g where the window is largest)",
        source="the maximum's rule on unfold(x); ties share equally", domains=[DISTINCT], law=pooling,
        traits={PIECEWISE_LINEAR, Homogeneous(1)}),
)  # fmt: skip

ROWS: tuple[Op, ...] = DENSE + NORMALISATION + CONVOLUTION
