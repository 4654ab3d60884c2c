"""Layers of MLX that hold their weights, called with the weights of a case.

A cell is MLX's layer on a sequence of one entry. Where MLX adds one bias, it is the sum of the two, as a user writes who
loads the weights of such a cell.
"""

from __future__ import annotations

from typing import Any

import mlx.core as mx
import mlx.nn as nn


def rnn_cell(x: Any, h: Any, w_ih: Any, w_hh: Any, b_ih: Any, b_hh: Any) -> Any:
    """nn.RNN on one entry."""
    layer = nn.RNN(x.shape[-1], h.shape[-1])
    layer.Wxh, layer.Whh, layer.bias = w_ih, w_hh, b_ih + b_hh
    return layer(x[:, None], h)[:, 0]


def gru_cell(x: Any, h: Any, w_ih: Any, w_hh: Any, b_ih: Any, b_hh: Any) -> Any:
    """nn.GRU on one entry, whose second bias is that of the new state alone."""
    layer = nn.GRU(x.shape[-1], h.shape[-1])
    reset, update, new = mx.split(b_hh, 3)
    layer.Wx, layer.Wh, layer.bhn = w_ih, w_hh, new
    layer.b = b_ih + mx.concat([reset, update, mx.zeros_like(new)])
    return layer(x[:, None], h)[:, 0]


def lstm_cell(x: Any, h: Any, c: Any, w_ih: Any, w_hh: Any, b_ih: Any, b_hh: Any) -> tuple[Any, Any]:
    """nn.LSTM on one entry."""
    layer = nn.LSTM(x.shape[-1], h.shape[-1])
    layer.Wx, layer.Wh, layer.bias = w_ih, w_hh, b_ih + b_hh
    hidden, cell = layer(x[:, None], h, c)
    return hidden[:, 0], cell[:, 0]


def bilinear(x: Any, y: Any, weight: Any, bias: Any) -> Any:
    """nn.Bilinear, which has the operands the other way round."""
    layer = nn.Bilinear(y.shape[-1], x.shape[-1], len(bias))
    layer.weight, layer.bias = weight, bias
    return layer(y, x)
