"""A student's engine of sixty lines, with its adapter.

    conformance run examples/micrograd_adapter.py -q contract

The engine is a tape over NumPy arrays. The adapter says how its arrays are made and read, how a
gradient is computed, and which of the catalogue's ops it has.
"""

from __future__ import annotations

import numpy as np

from conformance.backend import Capability, Dialect, TapeBackend

# ---- the engine -------------------------------------------------------------------------------


class Value:
    """An array that remembers how it was made."""

    def __init__(self, data, parents=(), pull=None, *, requires_grad=False):
        self.data = np.asarray(data)
        self.parents, self.pull = parents, pull  # pull: the upstream gradient to one per parent
        is_wanted = requires_grad or any(parent.requires_grad for parent in parents)
        self.requires_grad = is_wanted and self.data.dtype.kind == "f"  # integers have no gradients
        self.grad = None

    def __add__(self, other):
        return Value(self.data + other.data, (self, other), lambda g: (g, g))

    def __sub__(self, other):
        return Value(self.data - other.data, (self, other), lambda g: (g, -g))

    def __mul__(self, other):
        return Value(self.data * other.data, (self, other), lambda g: (g * other.data, g * self.data))

    def __matmul__(self, other):
        return Value(self.data @ other.data, (self, other), lambda g: (g @ other.data.T, self.data.T @ g))

    def sin(self):
        return Value(np.sin(self.data), (self,), lambda g: (g * np.cos(self.data),))

    def tanh(self):
        z = np.tanh(self.data)
        return Value(z, (self,), lambda g: (g * (1 - z * z),))

    def sum(self, axis=None, keepdims=False):
        def pull(g):
            spread = g if axis is None or keepdims else np.expand_dims(g, axis)
            return (np.broadcast_to(spread, self.data.shape),)

        return Value(self.data.sum(axis=axis, keepdims=keepdims), (self,), pull)

    def backward(self, gradient=None):
        """Send a gradient back to every value this one was made of; a scalar's own is 1."""
        if gradient is None:
            if self.data.shape or self.data.dtype.kind != "f":
                raise ValueError(
                    f"an output of shape {self.data.shape} of {self.data.dtype} needs a gradient"
                )
            gradient = np.ones_like(self.data)
        if gradient.shape != self.data.shape:
            raise ValueError(f"a gradient of shape {gradient.shape} for an output of shape {self.data.shape}")
        arrived = {self: gradient.astype(self.data.dtype)}
        for value in _children_first(self):
            g = arrived.pop(value)
            if value.pull is None:
                value.grad = g.copy() if value.grad is None else value.grad + g
                continue
            for parent, part in zip(value.parents, value.pull(g), strict=True):
                if parent.requires_grad:
                    part = _unbroadcast(part, parent.data.shape)
                    arrived[parent] = arrived[parent] + part if parent in arrived else part


def _children_first(output):
    order, seen, stack = [], set(), [(output, False)]
    while stack:
        value, is_done = stack.pop()
        if is_done:
            order.append(value)
        elif value not in seen:
            seen.add(value)
            stack += [(value, True), *((parent, False) for parent in value.parents if parent.requires_grad)]
    return reversed(order)


def _unbroadcast(g, shape):
    g = g.sum(axis=tuple(range(g.ndim - len(shape))))
    return g.sum(axis=tuple(i for i, n in enumerate(shape) if n == 1), keepdims=True).reshape(shape)


# ---- the adapter ------------------------------------------------------------------------------


class Micrograd(TapeBackend):
    """What the suite needs to know about it."""

    name = engine = "micrograd"
    capabilities = frozenset({Capability.TAPE, Capability.CLEARING, Capability.RETAINING, Capability.DEEP})
    conventions = {
        "A2": "refused",
        "A3": "refused",
        "A4": "refused",
        "A5": "cast",
        "B3": "accumulates",
        "C4": "none",
    }
    ops = {
        "add": lambda x, y: x + y,
        "subtract": lambda x, y: x - y,
        "multiply": lambda x, y: x * y,
        "matmul": lambda x, y: x @ y,
        "sin": lambda x: x.sin(),
        "tanh": lambda x: x.tanh(),
        "sum": lambda x, axis=None, keepdims=False: x.sum(axis, keepdims),
    }
    dialect = Dialect(
        imports="import numpy as np\nfrom micrograd_adapter import Value",
        array="Value(np.array({values}, np.{dtype}))",
        leaf="Value(np.array({values}, np.{dtype}), requires_grad=True)",
        backward="{output}.backward()",
        backward_with="{output}.backward({cotangent}.data)",
        grad="{leaf}.grad",
        clear="{leaf}.grad = None",
    )

    def version(self):
        return "0.1"

    def array(self, value):
        return Value(value)

    def leaf(self, value):
        return Value(value, requires_grad=True)

    def numpy(self, array):  # gradients are plain arrays already
        return array.data if isinstance(array, Value) else np.asarray(array)

    def backward(self, output, gradient=None, *, retain=False):
        output.backward(None if gradient is None else gradient.data)

    def grad(self, leaf):
        return leaf.grad

    def clear(self, leaf):
        leaf.grad = None
