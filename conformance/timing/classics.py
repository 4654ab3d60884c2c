"""The classic programs of the field: a Gaussian mixture, an attention block, an LSTM, a neural ODE.

Matrices that are multiplied from the right are operands in the layout that they are needed in, and constants are operands
too: every engine, however few ops it has, gets the same program.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from conformance.ops.names import (
    ADD,
    EXP,
    LOG,
    MATMUL,
    MEAN,
    MULTIPLY,
    NEGATIVE,
    SIGMOID,
    SOFTMAX,
    SQUARE,
    SUBTRACT,
    SUM,
    TANH,
)
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

# ---- Gaussian mixture: the mean of −log Σₖ exp(aₖ − exp(sₖ) |x − mₖ|²) -----------------------------


def mixture_operands(size: Size, dtype: str, rng: np.random.Generator) -> tuple[Array, ...]:
    """Points, the centres (a column each), log weights and log precisions."""
    points, dimensions, centres = size.values()
    scale = dimensions**-0.5
    return (
        normal(rng, dtype, points, dimensions, scale=scale),
        normal(rng, dtype, dimensions, centres, scale=scale),
        normal(rng, dtype, centres),
        normal(rng, dtype, centres, scale=0.5),
    )


def mixture_program(op: FindOp, size: Size) -> Function:
    """With the catalogue's ops; |x − m|² is |x|² + |m|² − 2 x·m, as one product of matrices."""
    matmul, square, total, mean = op(MATMUL), op(SQUARE), op(SUM), op(MEAN)
    add, subtract, multiply = op(ADD), op(SUBTRACT), op(MULTIPLY)
    exp, log, negative = op(EXP), op(LOG), op(NEGATIVE)

    def loss(x: Any, m: Any, a: Any, s: Any) -> Any:
        products = matmul(x, m)
        norms = add(total(square(x), axis=-1, keepdims=True), total(square(m), axis=0, keepdims=False))
        distances = subtract(norms, add(products, products))
        densities = exp(subtract(a, multiply(exp(s), distances)))
        return negative(mean(log(total(densities, axis=-1, keepdims=False)), axis=None, keepdims=False))

    return loss


def densities_of(x: Array, m: Array, a: Array, s: Array) -> tuple[Array, Array]:
    """The squared distances, and exp(aₖ − exp(sₖ) |x − mₖ|²)."""
    distances = np.sum(x * x, axis=1, keepdims=True) + np.sum(m * m, axis=0) - 2 * (x @ m)
    return distances, np.exp(a - np.exp(s) * distances)


def mixture_forward(size: Size, x: Array, m: Array, a: Array, s: Array) -> Any:
    """The hand-written value."""
    return -np.mean(np.log(np.sum(densities_of(x, m, a, s)[1], axis=1)))


def mixture_gradient(size: Size, x: Array, m: Array, a: Array, s: Array) -> ValueAndGradient:
    """The hand-written value and gradients: āₖ = −Σᵢ rᵢₖ/n with the responsibilities r, and from there to s, x, m."""
    distances, densities = densities_of(x, m, a, s)
    sums = np.sum(densities, axis=1, keepdims=True)
    ga = densities / (-len(x) * sums)
    gq = -np.exp(s) * ga
    gx = 2 * (x * gq.sum(axis=1, keepdims=True) - gq @ m.T)
    gm = 2 * (m * gq.sum(axis=0) - x.T @ gq)
    return -np.mean(np.log(sums)), (gx, gm, ga.sum(axis=0), (gq * distances).sum(axis=0))


# ---- attention: the mean of squares of softmax(q k) v ----------------------------------------------


def attention_operands(size: Size, dtype: str, rng: np.random.Generator) -> tuple[Array, ...]:
    """Queries already scaled, keys as columns, values."""
    tokens, width = size.values()
    return (
        normal(rng, dtype, tokens, width, scale=width**-0.5),
        normal(rng, dtype, width, tokens),
        normal(rng, dtype, tokens, width),
    )


def attention_program(op: FindOp, size: Size) -> Function:
    """With the catalogue's ops."""
    matmul, softmax, square, mean = op(MATMUL), op(SOFTMAX), op(SQUARE), op(MEAN)

    def loss(q: Any, k: Any, v: Any) -> Any:
        return mean(square(matmul(softmax(matmul(q, k), axis=-1), v)), axis=None, keepdims=False)

    return loss


def weights_of(q: Array, k: Array) -> Array:
    """softmax(q k) along the keys."""
    scores = q @ k
    weights = np.exp(scores - np.max(scores, axis=1, keepdims=True))
    normalised: Array = weights / np.sum(weights, axis=1, keepdims=True)
    return normalised


def attention_forward(size: Size, q: Array, k: Array, v: Array) -> Any:
    """The hand-written value."""
    return np.mean(np.square(weights_of(q, k) @ v))


def attention_gradient(size: Size, q: Array, k: Array, v: Array) -> ValueAndGradient:
    """The hand-written value and gradients: through the softmax p, s̄ = p (p̄ − Σ p̄ p)."""
    p = weights_of(q, k)
    out = p @ v
    g = out * (2 / out.size)
    gp = g @ v.T
    gs = p * (gp - np.sum(gp * p, axis=1, keepdims=True))
    return np.mean(np.square(out)), (gs @ k.T, q.T @ gs, p.T @ g)


# ---- LSTM: one cell over several steps, its gates in the order input, forget, output, new ----------

GATES = 4


def lstm_operands(size: Size, dtype: str, rng: np.random.Generator) -> tuple[Array, ...]:
    """An input, the first state and memory, then for each gate its weights for input and state, and its bias."""
    _, batch, width = size.values()
    drawn = [normal(rng, dtype, batch, width) for _ in range(3)]
    for _ in range(GATES):
        drawn += [normal(rng, dtype, width, width, scale=(2 * width) ** -0.5) for _ in range(2)]
        drawn.append(normal(rng, dtype, width))
    return tuple(drawn)


def lstm_program(op: FindOp, size: Size) -> Function:
    """With the catalogue's ops: the mean of squares of the last state."""
    matmul, add, multiply = op(MATMUL), op(ADD), op(MULTIPLY)
    tanh, sigmoid, square, mean = op(TANH), op(SIGMOID), op(SQUARE), op(MEAN)

    def loss(x: Any, h: Any, c: Any, *gates: Any) -> Any:
        for _ in range(size["steps"]):
            w, u, b = gates[0::3], gates[1::3], gates[2::3]
            z = [add(add(matmul(x, w[n]), matmul(h, u[n])), b[n]) for n in range(GATES)]
            i, f, o, new = sigmoid(z[0]), sigmoid(z[1]), sigmoid(z[2]), tanh(z[3])
            c = add(multiply(f, c), multiply(i, new))
            h = multiply(o, tanh(c))
        return mean(square(h), axis=None, keepdims=False)

    return loss


def lstm_step(x: Array, h: Array, c: Array, gates: tuple[Array, ...]) -> tuple[Array, ...]:
    """The gates, the new memory and the new state."""
    z = [x @ gates[3 * n] + h @ gates[3 * n + 1] + gates[3 * n + 2] for n in range(GATES)]
    i, f, o = (1 / (1 + np.exp(-gate)) for gate in z[:3])
    new = np.tanh(z[3])
    memory = f * c + i * new
    return i, f, o, new, memory, o * np.tanh(memory)


def lstm_forward(size: Size, x: Array, h: Array, c: Array, *gates: Array) -> Any:
    """The hand-written value."""
    for _ in range(size["steps"]):
        *_, c, h = lstm_step(x, h, c, gates)
    return np.mean(np.square(h))


def lstm_gradient(size: Size, x: Array, h: Array, c: Array, *gates: Array) -> ValueAndGradient:
    """The hand-written value and gradients: the steps in reverse order, each gate through its own slope."""
    steps = []
    for _ in range(size["steps"]):
        i, f, o, new, memory, state = lstm_step(x, h, c, gates)
        steps.append((i, f, o, new, c, np.tanh(memory), h))
        h, c = state, memory
    grads, gx = [np.zeros_like(parameter) for parameter in gates], np.zeros_like(x)
    gh, gc = h * (2 / h.size), np.zeros_like(c)
    for i, f, o, new, before, bent, state in reversed(steps):
        gc = gc + gh * o * (1 - bent * bent)
        slopes = (
            gc * new * i * (1 - i),
            gc * before * f * (1 - f),
            gh * bent * o * (1 - o),
            gc * i * (1 - new * new),
        )
        gh, gc = np.zeros_like(gh), gc * f
        for n, slope in enumerate(slopes):
            grads[3 * n] += x.T @ slope
            grads[3 * n + 1] += state.T @ slope
            grads[3 * n + 2] += slope.sum(axis=0)
            gx = gx + slope @ gates[3 * n].T
            gh = gh + slope @ gates[3 * n + 1].T
    return np.mean(np.square(h)), (gx, gh, gc, *grads)


# ---- the table -------------------------------------------------------------------------------------

CLASSICS = (
    Workload(
        "gaussian_mixture",
        sized("points", "dimensions", "centres", small=(32, 2, 5), medium=(1000, 10, 10), large=(20_000, 16, 50), huge=(50_000, 16, 50)),
        mixture_operands, mixture_program, mixture_forward, mixture_gradient,
    ),
    Workload(
        "attention",
        sized("tokens", "width", small=(8, 8), medium=(64, 32), large=(512, 64), huge=(1000, 64)),
        attention_operands, attention_program, attention_forward, attention_gradient,
    ),
    Workload(
        "lstm",
        sized("steps", "batch", "width", small=(3, 4, 8), medium=(10, 16, 32), large=(30, 32, 128), huge=(10, 2000, 128)),
        lstm_operands, lstm_program, lstm_forward, lstm_gradient,
    ),
)  # fmt: skip
