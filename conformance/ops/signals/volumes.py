"""Convolution of volumes (N, C, D, H, W).

It is conv2d of images whose channels are those of the slices under the kernel: one image for each place along the depth.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from conformance.op import Choose, Op, Shape, Signature
from conformance.ops.convolution import conv2d, conv2d_image, conv2d_kernels
from conformance.ops.dispatch import dispatched
from conformance.ops.indexing import along, getitem, scatter_add
from conformance.ops.laws.windows import CHANNELS, steps
from conformance.ops.rows import general
from conformance.ops.traits import HOLOMORPHIC, Homogeneous

Triple = tuple[int, int, int]
DEPTH = 2  # the axis

# -- slices under the kernel -------------------------------------------------------------------------


def depths(x: Any, size: int, stride: Triple, padding: Triple, dilation: Triple) -> Any:
    """The slices of the padded volume under the kernel: a row for each place of the kernel along the depth."""
    count = steps(np.shape(x)[DEPTH], size, stride[0], padding[0], dilation[0])
    return np.arange(count)[:, None] * stride[0] + np.arange(size) * dilation[0]


def as_images(x: Any, weight: Any, **geometry: Triple) -> Any:
    """The images that the kernels see: (N·places, C·slices, H, W)."""
    margin = geometry["padding"][0]
    padded = np.pad(x, pad_width=((0, 0), (0, 0), (margin, margin), (0, 0), (0, 0)))
    places = depths(x, np.shape(weight)[DEPTH], **geometry)
    images = np.moveaxis(np.take(padded, places, axis=DEPTH), source=DEPTH, destination=1)
    n, count, channels, slices, *sides = np.shape(images)
    return np.reshape(images, shape=(n * count, channels * slices, *sides))


def from_images(images: Any, x: Any, weight: Any, **geometry: Triple) -> Any:
    """The transpose of `as_images`: the cotangents of slices added up in the volume."""
    (n, channels, depth, *sides), margin = np.shape(x), geometry["padding"][0]
    places = depths(x, np.shape(weight)[DEPTH], **geometry)
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
    images = as_images(x, weight, **geometry)
    z = conv2d(images, as_flat_kernels(weight), bias, groups=groups, **in_images(geometry))
    return np.moveaxis(np.reshape(z, (len(x), -1, *z.shape[1:])), 1, DEPTH)


def conv3d_from(rule: Any) -> Any:
    """A rule of conv2d on the images: of them, or of the kernels."""

    def vjp(g: Any, z: Any, x: Any, weight: Any, bias: Any, groups: int, **geometry: Triple) -> Any:
        images, kernels = as_images(x, weight, **geometry), as_flat_kernels(weight)
        behind = np.moveaxis(g, source=DEPTH, destination=1)
        n, count, *shape = np.shape(behind)
        cotangents = np.reshape(behind, shape=(n * count, *shape))
        return rule(cotangents, None, images, kernels, None, groups, **in_images(geometry))

    return vjp


def conv3d_volume(g: Any, z: Any, x: Any, weight: Any, bias: Any, groups: int, **geometry: Triple) -> Any:
    """conv2d's rule for the images, added up in the volume."""
    images = conv3d_from(conv2d_image)(g, z, x, weight, bias, groups, **geometry)
    return from_images(images, x, weight, **geometry)


def conv3d_kernels(g: Any, z: Any, x: Any, weight: Any, bias: Any, groups: int, **geometry: Triple) -> Any:
    """conv2d's rule for the kernels."""
    kernels = conv3d_from(conv2d_kernels)(g, z, x, weight, bias, groups, **geometry)
    return np.reshape(kernels, shape=np.shape(weight))


# -- the law and the row -----------------------------------------------------------------------------

VOLUMES: tuple[tuple[int, ...], ...] = (
    (1, 2, 3, 3),
    (2, 3, 2, 4),
    (1, 3, 3, 3),
    (1, 5, 4, 3),
    (2, 1, 1, 1),
    (1, 2, 2, 17),
    (1, 5, 5, 5),
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


CONV3D = general("conv3d", conv3d, conv3d_volume, conv3d_kernels,
    lambda g, z, x, weight, bias, **_: np.sum(g, axis=(0, 2, 3, 4)),
    formula="x̄ = fold(Wᵀ g), W̄ = Σ g unfold(x)ᵀ, b̄ = Σ g", source="conv2d's rule on the slices under the kernel",
    law=volumes, traits={HOLOMORPHIC, Homogeneous(1, of=(0, 2)), Homogeneous(1, of=(1, 2))})  # fmt: skip

ROWS: tuple[Op, ...] = (CONV3D,)
