"""Convolution of volumes (N, C, D, H, W), and its transpose.

It is conv2d of images whose channels are those of the slices under the kernel: one image for each place along the depth.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from conformance.op import Choose, Op, Shape, Signature
from conformance.ops.convolution import conv2d, conv2d_image, conv2d_kernels, transposed_image
from conformance.ops.dispatch import dispatched
from conformance.ops.indexing import along, getitem, scatter_add
from conformance.ops.laws.windows import CHANNELS, steps, transposed_sides
from conformance.ops.rows import general
from conformance.ops.traits import HOLOMORPHIC, QUADRATIC, Homogeneous

Triple = tuple[int, int, int]
DEPTH = 2  # the axis

# -- slices under the kernel -------------------------------------------------------------------------


def depths(x: Any, size: int, stride: Triple, padding: Triple, dilation: Triple) -> Any:
    """The slices of the padded volume under the kernel: a row for each place of the kernel along the depth."""
    count = steps(np.shape(x)[DEPTH], size, stride[0], padding[0], dilation[0])
    return np.arange(count)[:, None] * stride[0] + np.arange(size) * dilation[0]


def as_images(x: Any, size: int, **geometry: Triple) -> Any:
    """The images that kernels of so many slices see: (N·places, C·slices, H, W)."""
    margin = geometry["padding"][0]
    padded = np.pad(x, pad_width=((0, 0), (0, 0), (margin, margin), (0, 0), (0, 0)))
    places = depths(x, size, **geometry)
    images = np.moveaxis(np.take(padded, places, axis=DEPTH), source=DEPTH, destination=1)
    n, count, channels, slices, *sides = np.shape(images)
    return np.reshape(images, shape=(n * count, channels * slices, *sides))


def from_images(images: Any, x: Any, size: int, **geometry: Triple) -> Any:
    """The transpose of `as_images`: the cotangents of slices added up in the volume."""
    (n, channels, depth, *sides), margin = np.shape(x), geometry["padding"][0]
    places = depths(x, size, **geometry)
    slices = np.reshape(images, shape=(n, len(places), channels, places.shape[1], *sides))
    behind = np.moveaxis(slices, source=1, destination=DEPTH)
    shape = (n, channels, depth + 2 * margin, *sides)
    padded = scatter_add(behind, index=along(DEPTH, 5, places), shape=shape)
    return getitem(padded, index=along(DEPTH, 5, slice(margin, margin + depth)))


def as_flat_kernels(weight: Any) -> Any:
    """The kernels' slices as channels: (O, C/groups·slices, H, W)."""
    out, channels, slices, *sides = np.shape(weight)
    return np.reshape(weight, shape=(out, channels * slices, *sides))


def in_images(geometry: dict[str, Triple]) -> dict[str, tuple[int, int]]:
    """The geometry within the images, without that along the depth."""
    return {name: (height, width) for name, (_, height, width) in geometry.items()}


# -- the convolution ---------------------------------------------------------------------------------


@dispatched
def conv3d(
    x: Any, weight: Any, bias: Any, *, stride: Triple, padding: Triple, dilation: Triple, groups: int
) -> Any:
    """The correlation of the volume with each kernel, plus the bias of its channel."""
    geometry = {"stride": stride, "padding": padding, "dilation": dilation}
    images = as_images(x, weight.shape[DEPTH], **geometry)
    z = conv2d(images, as_flat_kernels(weight), bias, groups=groups, **in_images(geometry))
    return np.moveaxis(np.reshape(z, (len(x), -1, *z.shape[1:])), 1, DEPTH)


def conv3d_from(rule: Any) -> Any:
    """A rule of conv2d on the images: of them, or of the kernels."""

    def vjp(g: Any, z: Any, x: Any, weight: Any, bias: Any, groups: int, **geometry: Triple) -> Any:
        images, kernels = as_images(x, np.shape(weight)[DEPTH], **geometry), as_flat_kernels(weight)
        behind = np.moveaxis(g, source=DEPTH, destination=1)
        n, count, *shape = np.shape(behind)
        cotangents = np.reshape(behind, shape=(n * count, *shape))
        return rule(cotangents, None, images, kernels, None, groups, **in_images(geometry))

    return vjp


def conv3d_volume(g: Any, z: Any, x: Any, weight: Any, bias: Any, groups: int, **geometry: Triple) -> Any:
    """conv2d's rule for the images, added up in the volume."""
    images = conv3d_from(conv2d_image)(g, z, x, weight, bias, groups, **geometry)
    return from_images(images, x, np.shape(weight)[DEPTH], **geometry)


def conv3d_kernels(g: Any, z: Any, x: Any, weight: Any, bias: Any, groups: int, **geometry: Triple) -> Any:
    """conv2d's rule for the kernels."""
    kernels = conv3d_from(conv2d_kernels)(g, z, x, weight, bias, groups, **geometry)
    return np.reshape(kernels, shape=np.shape(weight))


# -- the transposed convolution ----------------------------------------------------------------------


@dispatched
def conv_transpose3d(
    x: Any,
    weight: Any,
    bias: Any,
    *,
    stride: Triple,
    padding: Triple,
    output_padding: Triple,
    dilation: Triple,
    groups: int,
) -> Any:
    """The transpose of conv3d, which adds a kernel up wherever the volume has an entry, plus the bias."""
    geometry = {"stride": stride, "padding": padding, "dilation": dilation}
    sides = transposed_sides(x.shape[2:], weight.shape[2:], output_padding, **geometry)
    volume = np.empty((x.shape[0], weight.shape[1] * groups, *sides))
    return conv3d_volume(x, None, volume, weight, None, groups, **geometry) + bias[:, None, None, None]


def transposed_volume(
    g: Any, z: Any, x: Any, weight: Any, bias: Any, output_padding: Triple, groups: int, **geometry: Triple
) -> Any:
    """W unfold(g): conv_transpose2d's rule on the slices of the cotangent under the kernel."""
    n, channels, depth, *sides = np.shape(x)
    images, each = as_images(g, np.shape(weight)[DEPTH], **geometry), np.empty((n * depth, channels, *sides))
    kernels = as_flat_kernels(weight)
    back = transposed_image(images, None, each, kernels, None, (0, 0), groups, **in_images(geometry))
    return np.moveaxis(np.reshape(back, shape=(n, depth, channels, *sides)), source=1, destination=DEPTH)


def transposed_kernels(
    g: Any, z: Any, x: Any, weight: Any, bias: Any, output_padding: Triple, groups: int, **geometry: Triple
) -> Any:
    """Σ x unfold(g)ᵀ over the batch: conv3d's, of the operand and the cotangent exchanged."""
    return conv3d_kernels(x, None, g, weight, None, groups, **geometry)


# -- laws and rows -----------------------------------------------------------------------------

VOLUMES: tuple[tuple[int, ...], ...] = (
    (1, 2, 3, 3),
    (2, 3, 2, 4),
    (1, 3, 3, 3),
    (1, 5, 4, 3),
    (2, 1, 1, 1),
    (1, 2, 2, 17),
    (1, 5, 5, 5),
)
SMALL: tuple[tuple[int, ...], ...] = (
    (1, 2, 2, 2),
    (2, 1, 2, 3),
    (1, 3, 1, 2),
    (1, 1, 1, 1),
    (1, 1, 2, 9),
    (5, 2, 2, 2),
)
KERNELS: tuple[Triple, ...] = ((2, 2, 2), (1, 1, 1), (3, 1, 2), (3, 3, 3))


def volumes(choose: Choose) -> Signature:
    """Volumes, kernels, a bias for each of them, and the geometry, different along the three axes too."""
    size = choose(KERNELS)
    placing = {
        "stride": choose(((1, 1, 1), (2, 2, 2), (2, 1, 3), (2, 1, 1), (1, 1, 2))),
        "padding": choose(((0, 0, 0), (1, 1, 1), (1, 0, 2))),
        "dilation": choose(((1, 1, 1), (2, 2, 2), (2, 1, 1))),
    }
    fitting = [
        volume
        for volume in VOLUMES
        if min(steps(*given) for given in zip(volume[1:], size, *placing.values(), strict=True)) > 0
    ]
    count, *sides = choose(fitting)
    groups, channels, kernels = choose(CHANNELS)
    shapes: tuple[Shape, ...] = ((count, channels, *sides), (kernels, channels // groups, *size), (kernels,))
    return Signature(shapes, {**placing, "groups": groups})


def transposed(choose: Choose) -> Signature:
    """Volumes, kernels (those of the operand's channels first), a bias for each, and the geometry.

    What the strides leave over is shorter than a stride, so that as many windows fit.
    """
    (count, *sides), size = choose(SMALL), choose(KERNELS)
    stride, dilation = choose(((1, 1, 1), (2, 2, 2), (2, 1, 3))), choose(((1, 1, 1), (2, 2, 2), (2, 1, 1)))
    rests = [
        r
        for r in ((0, 0, 0), (1, 0, 0), (1, 1, 1), (0, 0, 2))
        if all(n < s for n, s in zip(r, stride, strict=True))
    ]
    rest = choose(rests)
    placing = {"stride": stride, "dilation": dilation}
    margins = [
        margin
        for margin in ((0, 0, 0), (1, 1, 1), (1, 0, 2))
        if min(transposed_sides(tuple(sides), size, rest, padding=margin, **placing)) > 0
    ]
    groups, channels, kernels = choose(CHANNELS)
    shapes: tuple[Shape, ...] = ((count, channels, *sides), (channels, kernels // groups, *size), (kernels,))
    parameters = {**placing, "padding": choose(margins), "output_padding": rest, "groups": groups}
    return Signature(shapes, parameters)


ROWS: tuple[Op, ...] = (
    general("conv3d", conv3d, conv3d_volume, conv3d_kernels,
        lambda g, z, x, weight, bias, **_: np.sum(g, axis=(0, 2, 3, 4)),
        formula="x̄ = fold(Wᵀ g), W̄ = Σ g unfold(x)ᵀ, b̄ = Σ g", source="conv2d's rule on the slices under the kernel",
        law=volumes, traits={QUADRATIC, HOLOMORPHIC, Homogeneous(1, of=(0, 2)), Homogeneous(1, of=(1, 2))}),
    general("conv_transpose3d", conv_transpose3d, transposed_volume, transposed_kernels,
        lambda g, z, x, weight, bias, **_: np.sum(g, axis=(0, 2, 3, 4)),
        formula="x̄ = W unfold(g), W̄ = Σ x unfold(g)ᵀ, b̄ = Σ g", source="the transpose of conv3d in x, matmul's rule",
        law=transposed, traits={QUADRATIC, HOLOMORPHIC, Homogeneous(1, of=(0, 2)), Homogeneous(1, of=(1, 2))}),
)  # fmt: skip
