"""One step of recurrent cells: from an entry of the sequence and the state, the next state.

The weights of the gates stand one above the other, (gates · hidden, in) and (gates · hidden, hidden), in the order that
most engines document: input, forget, cell and output gate; reset gate, update gate and new state.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from conformance.op import Law, Op, Shape
from conformance.ops import laws
from conformance.ops.activations import sigmoid
from conformance.ops.dispatch import dispatched
from conformance.ops.joining import concat, split
from conformance.ops.layers import linear_layer
from conformance.ops.products import transposed
from conformance.ops.rows import general
from conformance.ops.traits import SEVERAL_OUTPUTS

# -- gates -------------------------------------------------------------------------------------------


def gates(x: Any, weight: Any, bias: Any, count: int) -> Any:
    """What so many gates take from an operand."""
    return split(linear_layer(x, weight, bias), indices_or_sections=count, axis=-1)


def joined(*cotangents: Any) -> Any:
    """The cotangents of the gates as one of the product with their weights."""
    return concat(*cotangents, axis=-1)


Pulled = Callable[
    ..., tuple[Any, Any]
]  # the cotangents of x Wᵀ + b and of h Uᵀ + c, from g, z and the operands


def side_rules(pulled: Pulled, weights: int) -> tuple[Callable[..., Any], ...]:
    """The rules for x and h, for both weights, of which the first is operand `weights`, and for both biases."""

    def operand(side: int) -> Callable[..., Any]:
        return lambda g, z, *xs: np.matmul(pulled(g, z, *xs)[side], xs[weights + side])

    def weight(side: int) -> Callable[..., Any]:
        return lambda g, z, *xs: np.matmul(transposed(pulled(g, z, *xs)[side]), xs[side])

    def bias(side: int) -> Callable[..., Any]:
        return lambda g, z, *xs: np.sum(pulled(g, z, *xs)[side], axis=0)

    return tuple(rule(side) for rule in (operand, weight, bias) for side in (0, 1))


# -- cells -------------------------------------------------------------------------------------------


@dispatched
def rnn_cell(x: Any, h: Any, w_ih: Any, w_hh: Any, b_ih: Any, b_hh: Any) -> Any:
    """tanh(x Wᵀ + b + h Uᵀ + c)."""
    return np.tanh(linear_layer(x, w_ih, b_ih) + linear_layer(h, w_hh, b_hh))


def rnn_pulled(g: Any, z: Any, *operands: Any) -> tuple[Any, Any]:
    """g (1 − z²), of both."""
    pulled = g * (1 - z * z)
    return pulled, pulled


def gru_gates(x: Any, h: Any, w_ih: Any, w_hh: Any, b_ih: Any, b_hh: Any) -> tuple[Any, Any, Any, Any]:
    """The reset gate, the update gate, the new state, and what the hidden state gives it."""
    (xr, xu, xn), (hr, hu, hn) = gates(x, w_ih, b_ih, 3), gates(h, w_hh, b_hh, 3)
    reset = sigmoid(xr + hr)
    return reset, sigmoid(xu + hu), np.tanh(xn + reset * hn), hn


@dispatched
def gru_cell(x: Any, h: Any, w_ih: Any, w_hh: Any, b_ih: Any, b_hh: Any) -> Any:
    """A mean of the new state and of the old one, whose weight is the update gate."""
    _, update, new, _ = gru_gates(x, h, w_ih, w_hh, b_ih, b_hh)
    return (1 - update) * new + update * h


def gru_pulled(g: Any, z: Any, x: Any, h: Any, *weights: Any) -> tuple[Any, Any]:
    """The cotangents of the three gates; what the hidden state gives the new one is multiplied by the reset gate."""
    reset, update, new, given = gru_gates(x, h, *weights)
    of_new = g * (1 - update) * (1 - new * new)
    of_reset = of_new * given * reset * (1 - reset)
    of_update = g * (h - new) * update * (1 - update)
    return joined(of_reset, of_update, of_new), joined(of_reset, of_update, of_new * reset)


def gru_hidden(g: Any, z: Any, *operands: Any) -> Any:
    """What the hidden state gives the gates, and what is left of it."""
    _, update, _, _ = gru_gates(*operands)
    return np.matmul(gru_pulled(g, z, *operands)[1], operands[3]) + g * update


def lstm_gates(x: Any, h: Any, w_ih: Any, w_hh: Any, b_ih: Any, b_hh: Any) -> tuple[Any, Any, Any, Any]:
    """The input gate, the forget gate, the new entry of the cell, and the output gate."""
    of_x, of_h = gates(x, w_ih, b_ih, 4), gates(h, w_hh, b_hh, 4)
    i, f, new, o = (a + b for a, b in zip(of_x, of_h, strict=True))
    return sigmoid(i), sigmoid(f), np.tanh(new), sigmoid(o)


@dispatched
def lstm_cell(x: Any, h: Any, c: Any, w_ih: Any, w_hh: Any, b_ih: Any, b_hh: Any) -> tuple[Any, Any]:
    """The hidden state o tanh c′, and the cell c′ = f c + i new."""
    i, f, new, o = lstm_gates(x, h, w_ih, w_hh, b_ih, b_hh)
    cell = f * c + i * new
    return o * np.tanh(cell), cell


def of_the_cell(g: tuple[Any, Any], z: tuple[Any, Any], o: Any) -> Any:
    """The cotangent of c′: its own, and what comes through the hidden state."""
    size = np.tanh(z[1])
    return g[1] + g[0] * o * (1 - size * size)


def lstm_pulled(g: Any, z: Any, x: Any, h: Any, c: Any, *weights: Any) -> tuple[Any, Any]:
    """The cotangents of the four gates, of both."""
    i, f, new, o = lstm_gates(x, h, *weights)
    cell = of_the_cell(g, z, o)
    pulled = joined(
        cell * new * i * (1 - i),
        cell * c * f * (1 - f),
        cell * i * (1 - new * new),
        g[0] * np.tanh(z[1]) * o * (1 - o),
    )
    return pulled, pulled


def lstm_cell_state(g: Any, z: Any, x: Any, h: Any, c: Any, *weights: Any) -> Any:
    """c̄′ f."""
    _, f, _, o = lstm_gates(x, h, *weights)
    return of_the_cell(g, z, o) * f


# -- laws and rows -----------------------------------------------------------------------------------

# Examples, entries, hidden units.
SIZES: tuple[tuple[int, int, int], ...] = (
    *((2, 3, 2), (3, 3, 3), (1, 2, 3), (2, 1, 1), (0, 2, 2), (5, 2, 3), (2, 17, 1), (2, 1, 17), (33, 1, 2), (1, 1, 1)),
)  # fmt: skip


def cells(count: int, states: int) -> Law:
    """Examples, so many states, and the weights and biases of so many gates."""

    def shapes(n: int, entries: int, hidden: int) -> tuple[Shape, ...]:
        rows = count * hidden
        return ((n, entries), *((n, hidden),) * states, (rows, entries), (rows, hidden), (rows,), (rows,))

    return laws.shapes_of(*(shapes(*sizes) for sizes in SIZES))


GRU = side_rules(gru_pulled, 2)
LSTM = side_rules(lstm_pulled, 3)

ROWS: tuple[Op, ...] = (
    general("rnn_cell", rnn_cell, *side_rules(rnn_pulled, 2),
        formula="ā = g (1 − z²); x̄ = ā W, h̄ = ā U, W̄ = āᵀ x, Ū = āᵀ h, b̄ = c̄ = Σ ā",
        source="Elman 1990; tanh's rule and linear's", law=cells(1, 1)),
    general("gru_cell", gru_cell, GRU[0], gru_hidden, *GRU[2:],
        formula="n̄ = g (1 − u)(1 − n²), ū = g (h − n) u(1 − u), r̄ = n̄ (hU + c)ₙ r(1 − r), h̄ = … + g u",
        source="Cho and others 2014, eq. 5 to 8, with the reset gate behind the product; product rule", law=cells(3, 1)),
    general("lstm_cell", lstm_cell, *LSTM[:2], lstm_cell_state, *LSTM[2:],
        formula="c̄′ += h̄′ o (1 − tanh² c′); c̄ = c̄′ f, ī = c̄′ n i(1 − i), f̄ = c̄′ c f(1 − f), n̄ = c̄′ i (1 − n²), ō = h̄′ tanh c′ o(1 − o)",
        source="Gers and others 2000, eq. 2 to 7; product rule", law=cells(4, 2), traits={SEVERAL_OUTPUTS}),
)  # fmt: skip
