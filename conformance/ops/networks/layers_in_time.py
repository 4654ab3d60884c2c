"""Recurrent layers: a cell applied to one entry of the sequence after the other (time, examples, entries).

The results are the hidden states of all steps, and the last state.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from conformance.op import Law, Op, Shape
from conformance.ops import laws
from conformance.ops.dispatch import dispatched, shared
from conformance.ops.networks.recurrent import (
    gru_cell,
    gru_hidden,
    gru_pulled,
    lstm_cell,
    lstm_cell_state,
    lstm_pulled,
)
from conformance.ops.products import transposed
from conformance.ops.rows import general
from conformance.ops.traits import SEVERAL_OUTPUTS

States = list[tuple[Any, ...]]

# -- forward -------------------------------------------------------------------------------------------


def lstm_states(x: Any, h: Any, c: Any, *weights: Any) -> States:
    """The hidden state and the cell, before the first step and after each."""
    states = [(h, c)]
    for t in range(len(x)):
        states.append(lstm_cell(x[t], *states[-1], *weights))
    return states


def gru_states(x: Any, h: Any, *weights: Any) -> States:
    """The hidden state, before the first step and after each."""
    states = [(h,)]
    for t in range(len(x)):
        states.append((gru_cell(x[t], *states[-1], *weights),))
    return states


@dispatched
def lstm(x: Any, h: Any, c: Any, w_ih: Any, w_hh: Any, b_ih: Any, b_hh: Any) -> tuple[Any, Any, Any]:
    """The hidden states, the last of them, and the last cell."""
    states = lstm_states(x, h, c, w_ih, w_hh, b_ih, b_hh)
    return np.stack([state[0] for state in states[1:]]), *states[-1]


@dispatched
def gru(x: Any, h: Any, w_ih: Any, w_hh: Any, b_ih: Any, b_hh: Any) -> tuple[Any, Any]:
    """The hidden states, and the last of them."""
    states = gru_states(x, h, w_ih, w_hh, b_ih, b_hh)
    return np.stack([state[0] for state in states[1:]]), states[-1][0]


# -- backward, from the last step to the first -----------------------------------------------------------

Pulled = tuple[list[tuple[Any, Any]], tuple[Any, ...], States]


@shared
def lstm_backwards(g: Any, x: Any, h: Any, c: Any, *weights: Any) -> Pulled:
    """The cotangents of the gates at each step, of x Wᵀ + b and of h Uᵀ + c; those of the first state; and the states."""
    states, (hidden, cell), steps = lstm_states(x, h, c, *weights), g[1:], []
    for t in reversed(range(len(x))):
        above, here = (hidden + g[0][t], cell), (x[t], *states[t], *weights)
        steps.append(lstm_pulled(above, states[t + 1], *here))
        hidden = np.matmul(steps[-1][1], weights[1])
        cell = lstm_cell_state(above, states[t + 1], *here)
    return steps[::-1], (hidden, cell), states


@shared
def gru_backwards(g: Any, x: Any, h: Any, *weights: Any) -> Pulled:
    """The same of a gated recurrent unit."""
    states, hidden, steps = gru_states(x, h, *weights), g[1], []
    for t in reversed(range(len(x))):
        above, here = hidden + g[0][t], (x[t], *states[t], *weights)
        steps.append(gru_pulled(above, states[t + 1][0], *here))
        hidden = gru_hidden(above, states[t + 1][0], *here)
    return steps[::-1], (hidden,), states


def sequence_rules(backwards: Callable[..., Pulled], states: int) -> tuple[Callable[..., Any], ...]:
    """The rules for x, for so many states, for both weights and for both biases."""

    def entries(g: Any, z: Any, *xs: Any) -> Any:
        steps, _, _ = backwards(g, *xs)
        return np.stack([np.matmul(of_x, xs[1 + states]) for of_x, _ in steps])

    def state(number: int) -> Callable[..., Any]:
        return lambda g, z, *xs: backwards(g, *xs)[1][number]

    def entry_weight(g: Any, z: Any, *xs: Any) -> Any:
        steps, _, _ = backwards(g, *xs)
        return added([np.matmul(transposed(of_x), xs[0][t]) for t, (of_x, _) in enumerate(steps)])

    def state_weight(g: Any, z: Any, *xs: Any) -> Any:
        steps, _, before = backwards(g, *xs)
        return added([np.matmul(transposed(of_h), before[t][0]) for t, (_, of_h) in enumerate(steps)])

    def bias(side: int) -> Callable[..., Any]:
        return lambda g, z, *xs: added([np.sum(step[side], axis=0) for step in backwards(g, *xs)[0]])

    return (entries, *map(state, range(states)), entry_weight, state_weight, bias(0), bias(1))


def added(terms: list[Any]) -> Any:
    """The sum of the steps' shares."""
    return np.sum(np.stack(terms), axis=0)


# -- laws and rows -----------------------------------------------------------------------------------

# Steps, examples, entries, hidden units.
SIZES: tuple[tuple[int, int, int, int], ...] = (
    *((2, 2, 2, 1), (3, 1, 1, 2), (2, 2, 2, 2), (1, 1, 2, 3), (2, 3, 1, 2), (9, 1, 1, 1)),
)  # fmt: skip


def layers(count: int, states: int) -> Law:
    """A sequence, so many states, and the weights and biases of so many gates."""

    def shapes(steps: int, n: int, entries: int, hidden: int) -> tuple[Shape, ...]:
        rows = count * hidden
        weights = ((rows, entries), (rows, hidden), (rows,), (rows,))
        return ((steps, n, entries), *((n, hidden),) * states, *weights)

    return laws.shapes_of(*(shapes(*sizes) for sizes in SIZES))


ROWS: tuple[Op, ...] = (
    general("lstm", lstm, *sequence_rules(lstm_backwards, 2),
        formula="lstm_cell's rule from the last step to the first; the weights' gradients are sums over the steps",
        source="Werbos 1990, backpropagation through time; chain rule", law=layers(4, 2), traits={SEVERAL_OUTPUTS}),
    general("gru", gru, *sequence_rules(gru_backwards, 1),
        formula="gru_cell's rule from the last step to the first; the weights' gradients are sums over the steps",
        source="Werbos 1990, backpropagation through time; chain rule", law=layers(3, 1), traits={SEVERAL_OUTPUTS}),
)  # fmt: skip
