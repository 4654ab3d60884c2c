"""A neural ODE: classical Runge-Kutta steps of y' = tanh(y w + b), the mean of squares of its end."""

from __future__ import annotations

from typing import Any

import numpy as np

from conformance.ops.names import ADD, MATMUL, MEAN, MULTIPLY, SQUARE, TANH
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

STEP = 0.1


def operands(size: Size, dtype: str, rng: np.random.Generator) -> tuple[Array, ...]:
    """The start, weights and bias, then the step, half of it and a sixth of it as arrays of one entry."""
    _, batch, width = size.values()
    lengths = (np.array([STEP / part], dtype) for part in (1, 2, 6))
    start = normal(rng, dtype, batch, width)
    return (start, normal(rng, dtype, width, width, scale=width**-0.5), normal(rng, dtype, width), *lengths)


def program(op: FindOp, size: Size) -> Function:
    """With the catalogue's ops."""
    matmul, add, multiply, tanh = op(MATMUL), op(ADD), op(MULTIPLY), op(TANH)
    square, mean = op(SQUARE), op(MEAN)

    def loss(y: Any, w: Any, b: Any, step: Any, half: Any, sixth: Any) -> Any:
        def slope(y: Any) -> Any:
            return tanh(add(matmul(y, w), b))

        for _ in range(size["steps"]):
            k1 = slope(y)
            k2 = slope(add(y, multiply(half, k1)))
            k3 = slope(add(y, multiply(half, k2)))
            k4 = slope(add(y, multiply(step, k3)))
            middle = add(k2, k3)
            y = add(y, multiply(sixth, add(add(k1, k4), add(middle, middle))))
        return mean(square(y), axis=None, keepdims=False)

    return loss


def slopes(y: Array, w: Array, b: Array, step: Array, half: Array) -> tuple[Array, ...]:
    """The four slopes of one step."""
    k1 = np.tanh(y @ w + b)
    k2 = np.tanh((y + half * k1) @ w + b)
    k3 = np.tanh((y + half * k2) @ w + b)
    return k1, k2, k3, np.tanh((y + step * k3) @ w + b)


def forward(size: Size, y: Array, w: Array, b: Array, step: Array, half: Array, sixth: Array) -> Any:
    """The hand-written value."""
    for _ in range(size["steps"]):
        k1, k2, k3, k4 = slopes(y, w, b, step, half)
        y = y + sixth * (k1 + 2 * (k2 + k3) + k4)
    return np.mean(np.square(y))


def gradient(
    size: Size, y: Array, w: Array, b: Array, step: Array, half: Array, sixth: Array
) -> ValueAndGradient:
    """The hand-written value and gradients: the steps in reverse order, and in each the slopes from the fourth to the first."""
    steps = []
    for _ in range(size["steps"]):
        found = slopes(y, w, b, step, half)
        steps.append((y, found))
        k1, k2, k3, k4 = found
        y = y + sixth * (k1 + 2 * (k2 + k3) + k4)
    gy, gw, gb = y * (2 / y.size), np.zeros_like(w), np.zeros_like(b)
    g_step, g_half, g_sixth = (np.zeros_like(step) for _ in range(3))
    for before, (k1, k2, k3, k4) in reversed(steps):
        g_sixth += np.sum(gy * (k1 + 2 * (k2 + k3) + k4))
        gk = [sixth * gy, 2 * sixth * gy, 2 * sixth * gy, sixth * gy]
        at = (before, before + half * k1, before + half * k2, before + step * k3)
        for n, k in ((3, k4), (2, k3), (1, k2), (0, k1)):
            bent = gk[n] * (1 - k * k)
            gw += at[n].T @ bent
            gb += bent.sum(axis=0)
            moved = bent @ w.T
            gy = gy + moved
            if n == 3:
                g_step += np.sum(moved * k3)
                gk[2] = gk[2] + step * moved
            elif n:
                g_half += np.sum(moved * (k2, k1)[2 - n])
                gk[n - 1] = gk[n - 1] + half * moved
    return np.mean(np.square(y)), (gy, gw, gb, g_step, g_half, g_sixth)


NEURAL_ODE = Workload(
    "neural_ode",
    sized(
        "steps",
        "batch",
        "width",
        small=(2, 4, 8),
        medium=(10, 32, 32),
        large=(20, 128, 128),
        huge=(10, 8000, 128),
    ),
    operands,
    program,
    forward,
    gradient,
)
