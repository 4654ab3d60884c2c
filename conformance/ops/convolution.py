"""Convolution of images (N, C, H, W) and signals (N, C, L).

It is a product over `unfold`, which copies every window into a column; `fold` adds columns back, so the two
are each other's rule.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from conformance.op import Op
from conformance.ops.dispatch import dispatched
from conformance.ops.laws import windows
from conformance.ops.laws.windows import Pair, window_counts
from conformance.ops.rows import general, linear
from conformance.ops.traits import HOLOMORPHIC, QUADRATIC, Homogeneous

# -- windows ---------------------------------------------------------------------------------------


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


def windows_of(x: Any, kernel_size: Pair, **placing: Pair) -> Any:
    """The windows of each channel: (N, C, kh·kw, windows)."""
    n, c = np.shape(x)[:2]
    columns = unfold(x, kernel_size=kernel_size, **placing)
    return np.reshape(columns, shape=(n, c, kernel_size[0] * kernel_size[1], -1))


def unwindowed(cotangents: Any, x: Any, kernel_size: Pair, **placing: Pair) -> Any:
    """the transpose of `windows_of`: the cotangents of the windows added up in the image."""
    n, c, height, width = np.shape(x)
    columns = np.reshape(cotangents, shape=(n, c * kernel_size[0] * kernel_size[1], -1))
    return fold(columns, output_size=(height, width), kernel_size=kernel_size, **placing)


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


# -- transposed convolution ------------------------------------------------------------------------


@dispatched
def conv_transpose2d(
    x: Any,
    weight: Any,
    bias: Any,
    *,
    stride: Pair,
    padding: Pair,
    output_padding: Pair,
    dilation: Pair,
    groups: int,
) -> Any:
    """The transpose of conv2d, which adds a kernel up wherever the image has an entry, plus the bias."""
    size, channels = weight.shape[2:], weight.shape[1] * groups
    geometry = {"stride": stride, "padding": padding, "dilation": dilation}
    sides = windows.transposed_sides(x.shape[2:], size, output_padding, **geometry)
    image = np.empty((x.shape[0], channels, *sides))
    return conv2d_image(x, None, image, weight, None, groups, **geometry) + bias[:, None, None]


def transposed_image(
    g: Any, z: Any, x: Any, weight: Any, bias: Any, output_padding: Pair, groups: int, **geometry: Pair
) -> Any:
    """W unfold(g), which is conv2d of the cotangent."""
    columns = grouped_columns(g, weight, groups, **geometry)
    return np.reshape(np.matmul(grouped_kernels(weight, groups), columns), shape=np.shape(x))


def transposed_kernels(
    g: Any, z: Any, x: Any, weight: Any, bias: Any, output_padding: Pair, groups: int, **geometry: Pair
) -> Any:
    """Σ x unfold(g)ᵀ over the batch: conv2d's, of the operand and the cotangent exchanged."""
    return conv2d_kernels(x, None, g, weight, None, groups, **geometry)


@dispatched
def conv_transpose1d(
    x: Any,
    weight: Any,
    bias: Any,
    *,
    stride: int,
    padding: int,
    output_padding: int,
    dilation: int,
    groups: int,
) -> Any:
    """The transpose of conv1d, plus the bias of its channel."""
    geometry = {**flat_geometry(stride, padding, dilation), "output_padding": (0, output_padding)}
    return conv_transpose2d(as_image(x), as_image(weight), bias, groups=groups, **geometry)[:, :, 0]


def conv_transpose1d_from(rule: Any, operand: int) -> Any:
    """The rule of conv_transpose1d for an operand: conv_transpose2d's on images of height 1."""

    def vjp(g: Any, z: Any, *operands: Any, output_padding: int, groups: int, **given: int) -> Any:
        x, weight, bias = operands
        rest, geometry = (0, output_padding), flat_geometry(**given)
        whole = rule(as_image(g), z, as_image(x), as_image(weight), bias, rest, groups, **geometry)
        return np.reshape(whole, shape=np.shape(operands[operand]))

    return vjp


# -- rows ------------------------------------------------------------------------------------------

ROWS: tuple[Op, ...] = (
    linear("unfold", unfold, lambda g, x, **geometry: fold(g, output_size=np.shape(x)[2:], **geometry),
        formula="x̄ = fold(g)", source="linear; the transpose of copying windows adds them back",
        law=windows.unfolding, aliases=("im2col",), traits={HOLOMORPHIC}),
    linear("fold", fold, lambda g, x, output_size, **geometry: unfold(g, **geometry),
        formula="x̄ = unfold(g)", source="the transpose of unfold", law=windows.folding, aliases=("col2im",),
        traits={HOLOMORPHIC}),
    general("conv1d", conv1d, conv1d_from(conv2d_image, 0), conv1d_from(conv2d_kernels, 1),
        lambda g, z, x, weight, bias, **_: np.sum(g, axis=(0, 2)),
        formula="x̄ = fold(Wᵀ g), W̄ = Σ g unfold(x)ᵀ, b̄ = Σ g", source="matmul's rule on W unfold(x)",
        law=windows.conv1d, traits={QUADRATIC, HOLOMORPHIC, Homogeneous(1, of=(0, 2)), Homogeneous(1, of=(1, 2))}),
    general("conv2d", conv2d, conv2d_image, conv2d_kernels,
        lambda g, z, x, weight, bias, **_: np.sum(g, axis=(0, 2, 3)),
        formula="x̄ = fold(Wᵀ g), W̄ = Σ g unfold(x)ᵀ, b̄ = Σ g", source="matmul's rule on W unfold(x)",
        law=windows.conv2d, traits={QUADRATIC, HOLOMORPHIC, Homogeneous(1, of=(0, 2)), Homogeneous(1, of=(1, 2))}),
    general("conv_transpose1d", conv_transpose1d, conv_transpose1d_from(transposed_image, 0),
        conv_transpose1d_from(transposed_kernels, 1),
        lambda g, z, x, weight, bias, **_: np.sum(g, axis=(0, 2)),
        formula="x̄ = W unfold(g), W̄ = Σ x unfold(g)ᵀ, b̄ = Σ g", source="the transpose of conv1d in x, matmul's rule",
        law=windows.conv_transpose1d,
        traits={QUADRATIC, HOLOMORPHIC, Homogeneous(1, of=(0, 2)), Homogeneous(1, of=(1, 2))}),
    general("conv_transpose2d", conv_transpose2d, transposed_image, transposed_kernels,
        lambda g, z, x, weight, bias, **_: np.sum(g, axis=(0, 2, 3)),
        formula="x̄ = W unfold(g), W̄ = Σ x unfold(g)ᵀ, b̄ = Σ g", source="the transpose of conv2d in x, matmul's rule",
        law=windows.conv_transpose2d,
        traits={QUADRATIC, HOLOMORPHIC, Homogeneous(1, of=(0, 2)), Homogeneous(1, of=(1, 2))}),
)  # fmt: skip
