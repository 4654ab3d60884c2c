"""A block of a convolutional network: convolution with a bias, relu, maxima of windows of 2 × 2, a linear layer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from conformance.ops.names import ADD, CONV2D, MATMUL, MAX_POOL2D, MEAN, RELU, RESHAPE, SQUARE
from conformance.timing.workloads import (
    Array,
    FindOp,
    Function,
    Size,
    ValueAndGradient,
    Workload,
    normal,
    sized,
)

KERNEL, POOL = 3, 2
WINDOW: Mapping[str, Any] = {
    "kernel_size": (POOL, POOL),
    "stride": (POOL, POOL),
    "padding": (0, 0),
    "dilation": (1, 1),
    "ceil_mode": False,
}


def operands(size: Size, dtype: str, rng: np.random.Generator) -> tuple[Array, ...]:
    """Images, kernels and their bias, then weights and bias of the linear layer."""
    batch, channels, side, kernels, outputs = size.values()
    area = channels * KERNEL * KERNEL
    pooled = kernels * ((side - KERNEL + 1) // POOL) ** 2
    return (
        normal(rng, dtype, batch, channels, side, side),
        normal(rng, dtype, kernels, channels, KERNEL, KERNEL, scale=area**-0.5),
        normal(rng, dtype, kernels),
        normal(rng, dtype, pooled, outputs, scale=pooled**-0.5),
        normal(rng, dtype, outputs),
    )


def program(op: FindOp, size: Size) -> Function:
    """With the catalogue's ops."""
    conv, pool, relu, reshape = op(CONV2D), op(MAX_POOL2D), op(RELU), op(RESHAPE)
    matmul, add, square, mean = op(MATMUL), op(ADD), op(SQUARE), op(MEAN)

    def loss(x: Any, k: Any, c: Any, w: Any, b: Any) -> Any:
        z = relu(conv(x, k, c, stride=(1, 1), padding=(0, 0), dilation=(1, 1), groups=1))
        p = pool(z, **WINDOW)
        y = add(matmul(reshape(p, shape=(size["batch"], -1)), w), b)
        return mean(square(y), axis=None, keepdims=False)

    return loss


def shifted(z: Array, kernel: int, step: int) -> list[Array]:
    """What each place of a window reads, over all windows: views of the images, row by row of the window."""
    height, width = (side - kernel + 1 for side in z.shape[2:])
    return [
        z[:, :, i : i + height : step, j : j + width : step] for i in range(kernel) for j in range(kernel)
    ]


def columns_of(x: Array) -> Any:
    """Every window of the images as a column: (N, C·9, windows)."""
    return np.stack(shifted(x, KERNEL, 1), axis=2).reshape(len(x), x.shape[1] * KERNEL * KERNEL, -1)


def convolved(columns: Array, k: Array, c: Array, side: int) -> Any:
    """The product of the windows with each kernel, plus its bias."""
    return (k.reshape(len(k), -1) @ columns).reshape(len(columns), len(k), side, side) + c[:, None, None]


def pooled(z: Array) -> Any:
    """The largest entry of each window."""
    first, second, third, fourth = shifted(z, POOL, POOL)
    return np.maximum(np.maximum(first, second), np.maximum(third, fourth))


def forward(size: Size, x: Array, k: Array, c: Array, w: Array, b: Array) -> Any:
    """The hand-written value."""
    z = convolved(columns_of(x), k, c, x.shape[-1] - KERNEL + 1)
    return np.mean(np.square(pooled(np.maximum(z, 0)).reshape(len(x), -1) @ w + b))


def gradient(size: Size, x: Array, k: Array, c: Array, w: Array, b: Array) -> ValueAndGradient:
    """The hand-written value and gradients, from the linear layer through the maxima and the kinks to the images."""
    columns = columns_of(x)
    z = convolved(columns, k, c, x.shape[-1] - KERNEL + 1)
    largest = pooled(np.maximum(z, 0))
    flat = largest.reshape(len(x), -1)
    y = flat @ w + b
    gy = y * (2 / y.size)
    gz = unpooled((gy @ w.T).reshape(largest.shape), largest, z)
    g = gz.reshape(*gz.shape[:2], -1)
    gk = (g @ columns.swapaxes(1, 2)).sum(axis=0).reshape(k.shape)
    gradients = (
        images(k.reshape(len(k), -1).T @ g, x),
        gk,
        gz.sum(axis=(0, 2, 3)),
        flat.T @ gy,
        gy.sum(axis=0),
    )
    return np.mean(np.square(y)), gradients


def unpooled(g: Array, largest: Array, z: Array) -> Array:
    """Each cotangent at the entry that is the largest of its window; where none is above 0, relu leaves nothing of it."""
    gz = np.zeros_like(z)
    g = g * (largest > 0)
    for entry, place in zip(shifted(z, POOL, POOL), shifted(gz, POOL, POOL), strict=True):
        place[...] = g * (entry == largest)
    return gz


def images(columns: Array, x: Array) -> Array:
    """The columns added back to where they were read."""
    gx = np.zeros_like(x)
    places = shifted(gx, KERNEL, 1)
    tiles = columns.reshape(*x.shape[:2], len(places), *places[0].shape[2:])
    for n, place in enumerate(places):
        place += tiles[:, :, n]
    return gx


CNN_BLOCK = Workload(
    "cnn_block",
    sized(
        "batch", "channels", "side", "kernels", "outputs",
        small=(2, 2, 6, 3, 4), medium=(8, 4, 18, 8, 10), large=(16, 8, 34, 16, 10), huge=(16, 16, 66, 16, 10),
    ),
    operands, program, forward, gradient,
)  # fmt: skip
