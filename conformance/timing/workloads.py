"""The workloads: small programs that training is made of, in three sizes each.

A workload is written twice: as a program of the catalogue's ops, which any engine runs, and in plain NumPy with
a gradient derived on paper, by whose time an engine's is divided. Both do the same work: every operand is
floating point, and every operand's gradient is computed, the inputs' and the targets' too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from conformance.ops.names import (
    ADD,
    LOG_SOFTMAX,
    MATMUL,
    MATRIX_TRANSPOSE,
    MEAN,
    MULTIPLY,
    NEGATIVE,
    RELU,
    SIN,
    SQUARE,
    SUBTRACT,
    SUM,
    TANH,
)

Array = np.ndarray[Any, Any]
Size = Mapping[str, int]
Function = Callable[..., Any]
FindOp = Callable[[str], Function]
ValueAndGradient = tuple[Any, tuple[Array, ...]]

SIZES = ("small", "medium", "large")
ON_REQUEST = (
    "huge",
)  # a million entries: minutes, and gigabytes where an engine keeps every intermediate result


@dataclass(frozen=True)
class Workload:
    """One scalar program, for engines and hand-written.

    `operands(size, dtype, rng)` draws the arrays. `program(op, size)` is a function of an engine's
    arrays, where `op(name)` is the engine's function for an op. `forward(size, *operands)` is its
    value in plain NumPy, `gradient(size, *operands)` its value and one gradient per operand.
    """

    name: str
    sizes: Mapping[str, Size]
    operands: Callable[[Size, str, np.random.Generator], tuple[Array, ...]]
    program: Callable[[FindOp, Size], Function]
    forward: Callable[..., Any]
    gradient: Callable[..., ValueAndGradient]


def label(size: Size) -> str:
    """How a size is written in a table: 32x64x10."""
    return "x".join(map(str, size.values()))


def sized(*names: str, **extents: tuple[int, ...]) -> dict[str, Size]:
    """The sizes of a workload: for each name in SIZES and ON_REQUEST, the extents by their names."""
    return {rank: dict(zip(names, extents[rank], strict=True)) for rank in (*SIZES, *ON_REQUEST)}


def normal(rng: np.random.Generator, dtype: str, *shape: int, scale: float = 1.0) -> Array:
    """Standard normal entries times `scale`."""
    return (scale * rng.standard_normal(shape)).astype(dtype)


# ---- linear: the mean of squares of x wᵀ + b -----------------------------------------------------


def linear_operands(size: Size, dtype: str, rng: np.random.Generator) -> tuple[Array, ...]:
    """A batch, weights that keep its scale, a bias."""
    batch, inputs, outputs = size.values()
    return (
        normal(rng, dtype, batch, inputs),
        normal(rng, dtype, outputs, inputs, scale=inputs**-0.5),
        normal(rng, dtype, outputs),
    )


def linear_program(op: FindOp, size: Size) -> Function:
    """With the catalogue's ops."""
    matmul, transpose, add = op(MATMUL), op(MATRIX_TRANSPOSE), op(ADD)
    square, mean = op(SQUARE), op(MEAN)

    def loss(x: Any, w: Any, b: Any) -> Any:
        y = add(matmul(x, transpose(w)), b)
        return mean(square(y), axis=None, keepdims=False)

    return loss


def linear_forward(size: Size, x: Array, w: Array, b: Array) -> Any:
    """The hand-written value."""
    return np.mean(np.square(x @ w.T + b))


def linear_gradient(size: Size, x: Array, w: Array, b: Array) -> ValueAndGradient:
    """The hand-written value and gradients: ȳ = 2y/n, then x̄ = ȳ w, w̄ = ȳᵀ x, b̄ = Σ ȳ."""
    y = x @ w.T + b
    g = y * (2 / y.size)
    return np.mean(np.square(y)), (g @ w, g.T @ x, g.sum(axis=0))


# ---- mlp: tanh, relu, and the mean squared error -------------------------------------------------


def mlp_operands(size: Size, dtype: str, rng: np.random.Generator) -> tuple[Array, ...]:
    """A batch with its targets, then weights and biases layer by layer."""
    batch, inputs, hidden, outputs = size.values()
    layers = ((inputs, hidden), (hidden, hidden), (hidden, outputs))
    drawn = [normal(rng, dtype, batch, inputs), normal(rng, dtype, batch, outputs)]
    for rows, columns in layers:
        drawn.append(normal(rng, dtype, rows, columns, scale=rows**-0.5))
        drawn.append(normal(rng, dtype, columns))
    return tuple(drawn)


def mlp_program(op: FindOp, size: Size) -> Function:
    """With the catalogue's ops."""
    matmul, add, tanh, relu = op(MATMUL), op(ADD), op(TANH), op(RELU)
    subtract, square, mean = op(SUBTRACT), op(SQUARE), op(MEAN)

    def loss(x: Any, t: Any, w1: Any, b1: Any, w2: Any, b2: Any, w3: Any, b3: Any) -> Any:
        h1 = tanh(add(matmul(x, w1), b1))
        h2 = relu(add(matmul(h1, w2), b2))
        y = add(matmul(h2, w3), b3)
        return mean(square(subtract(y, t)), axis=None, keepdims=False)

    return loss


def mlp_forward(
    size: Size, x: Array, t: Array, w1: Array, b1: Array, w2: Array, b2: Array, w3: Array, b3: Array
) -> Any:
    """The hand-written value."""
    h2 = np.maximum(np.tanh(x @ w1 + b1) @ w2 + b2, 0)
    return np.mean(np.square(h2 @ w3 + b3 - t))


def mlp_gradient(
    size: Size, x: Array, t: Array, w1: Array, b1: Array, w2: Array, b2: Array, w3: Array, b3: Array
) -> ValueAndGradient:
    """The hand-written value and gradients, from the last layer to the first."""
    h1 = np.tanh(x @ w1 + b1)
    h2 = np.maximum(h1 @ w2 + b2, 0)
    error = h2 @ w3 + b3 - t
    g3 = error * (2 / error.size)
    g2 = (g3 @ w3.T) * (h2 > 0)
    g1 = (g2 @ w2.T) * (1 - h1 * h1)
    gradients = (
        g1 @ w1.T, -g3,
        x.T @ g1, g1.sum(axis=0),
        h1.T @ g2, g2.sum(axis=0),
        h2.T @ g3, g3.sum(axis=0),
    )  # fmt: skip
    return np.mean(np.square(error)), gradients


# ---- softmax cross entropy of the logits x w -----------------------------------------------------


def cross_entropy_operands(size: Size, dtype: str, rng: np.random.Generator) -> tuple[Array, ...]:
    """A batch, weights, and a probability per class as the target."""
    batch, inputs, classes = size.values()
    chances = rng.random((batch, classes))
    return (
        normal(rng, dtype, batch, inputs),
        normal(rng, dtype, inputs, classes, scale=inputs**-0.5),
        (chances / chances.sum(axis=1, keepdims=True)).astype(dtype),
    )


def cross_entropy_program(op: FindOp, size: Size) -> Function:
    """With the catalogue's ops; the targets are probabilities, so that they have a gradient too."""
    matmul, log_softmax, multiply = op(MATMUL), op(LOG_SOFTMAX), op(MULTIPLY)
    total, mean, negative = op(SUM), op(MEAN), op(NEGATIVE)

    def loss(x: Any, w: Any, t: Any) -> Any:
        log_chances = log_softmax(matmul(x, w), axis=-1)
        of_rows = total(multiply(t, log_chances), axis=-1, keepdims=False)
        return negative(mean(of_rows, axis=None, keepdims=False))

    return loss


def log_chances_of(x: Array, w: Array) -> Array:
    """The logarithms of softmax(x w), shifted so that nothing overflows."""
    z = x @ w
    z = z - np.max(z, axis=1, keepdims=True)
    normalised: Array = z - np.log(np.sum(np.exp(z), axis=1, keepdims=True))
    return normalised


def cross_entropy_forward(size: Size, x: Array, w: Array, t: Array) -> Any:
    """The hand-written value."""
    return -np.sum(t * log_chances_of(x, w)) / len(x)


def cross_entropy_gradient(size: Size, x: Array, w: Array, t: Array) -> ValueAndGradient:
    """The hand-written value and gradients: z̄ = (softmax(z) Σt − t)/n.

    Σt is 1 only where the targets are probabilities; as an operand t need not be.
    """
    log_chances = log_chances_of(x, w)
    g = (np.exp(log_chances) * np.sum(t, axis=1, keepdims=True) - t) / len(x)
    value = -np.sum(t * log_chances) / len(x)
    return value, (g @ w.T, x.T @ g, log_chances / -len(x))


# ---- deep chain: a pendulum, step by step --------------------------------------------------------

OPS_PER_STEP = 5


def chain_operands(size: Size, dtype: str, rng: np.random.Generator) -> tuple[Array, ...]:
    """Angles, momenta and step lengths.

    They stay below the pendulum's turning over, where neither values nor gradients grow or vanish
    however deep the chain is: a chain that ran into denormal numbers would time those.
    """
    width = size["width"]
    start = rng.uniform(-0.5, 0.5, (2, width)).astype(dtype)
    return start[0].copy(), start[1].copy(), rng.uniform(0.05, 0.1, width).astype(dtype)


def chain_program(op: FindOp, size: Size) -> Function:
    """With the catalogue's ops, `depth` of them before the mean of squares."""
    sin, multiply, subtract, add = op(SIN), op(MULTIPLY), op(SUBTRACT), op(ADD)
    square, mean = op(SQUARE), op(MEAN)

    def loss(q: Any, p: Any, h: Any) -> Any:
        for _ in range(size["depth"] // OPS_PER_STEP):
            p = subtract(p, multiply(h, sin(q)))
            q = add(q, multiply(h, p))
        return mean(square(q), axis=None, keepdims=False)

    return loss


def chain_forward(size: Size, q: Array, p: Array, h: Array) -> Any:
    """The hand-written value."""
    for _ in range(size["depth"] // OPS_PER_STEP):
        p = p - h * np.sin(q)
        q = q + h * p
    return np.mean(np.square(q))


def chain_gradient(size: Size, q: Array, p: Array, h: Array) -> ValueAndGradient:
    """The hand-written value and gradients: every step undone in reverse order."""
    steps = []
    for _ in range(size["depth"] // OPS_PER_STEP):
        sine = np.sin(q)
        p = p - h * sine
        steps.append((q, sine, p))
        q = q + h * p
    gq, gp, gh = q * (2 / q.size), np.zeros_like(p), np.zeros_like(h)
    for before, sine, after in reversed(steps):
        gp = gp + h * gq  # of q + h p
        gh = gh + gq * after - gp * sine
        gq = gq - gp * h * np.cos(before)  # of p − h sin q
    return np.mean(np.square(q)), (gq, gp, gh)


# ---- the table -----------------------------------------------------------------------------------

BASIC = (
    Workload(
        "linear",
        sized("batch", "inputs", "outputs", small=(8, 16, 8), medium=(32, 64, 64), large=(128, 256, 256), huge=(1000, 1000, 1000)),
        linear_operands, linear_program, linear_forward, linear_gradient,
    ),
    Workload(
        "mlp",
        sized(
            "batch", "inputs", "hidden", "outputs",
            small=(1, 4, 4, 2), medium=(32, 64, 64, 10), large=(128, 256, 256, 10), huge=(1000, 1000, 1000, 10),
        ),
        mlp_operands, mlp_program, mlp_forward, mlp_gradient,
    ),
    Workload(
        "softmax_cross_entropy",
        sized("batch", "inputs", "classes", small=(8, 16, 4), medium=(32, 64, 10), large=(128, 256, 100), huge=(1000, 1000, 1000)),
        cross_entropy_operands, cross_entropy_program, cross_entropy_forward, cross_entropy_gradient,
    ),
    Workload(
        "deep_chain",
        sized("depth", "width", small=(30, 32), medium=(300, 32), large=(1000, 32), huge=(1000, 1000)),
        chain_operands, chain_program, chain_forward, chain_gradient,
    ),
)  # fmt: skip
