"""The tensor: an array whose NumPy calls are recorded.

NumPy lets its operands take over a call: `np.tanh(x)` calls `x.__array_ufunc__`, `np.sum(x)` calls
`x.__array_function__` (NEP 13 and NEP 18). A tensor looks the function up among the rows of the
catalogue, computes the plain value, and records a node with the row's rule. That is the whole
engine: it has no derivative rules of its own.

Because a rule is written in NumPy too, it runs on tensors as well as on arrays. Run on tensors, it
is itself recorded, and the gradient can be differentiated again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from conformance.dtype import BFLOAT16, is_inexact
from conformance.op import Op, Trait
from conformance.ops import CATALOGUE
from conformance_backends.numpy_engine import spellings
from conformance_backends.numpy_engine.graph import (
    Accumulation,
    Edge,
    Node,
    backward_pass,
    is_recording,
    next_number,
    no_grad,
)
from conformance_backends.numpy_engine.rule_values import beside, carrying, complete, fitted
from conformance_backends.numpy_engine.seeds import seed

ROWS = spellings.rows()  # by the function of NumPy that a row is
NARROW = BFLOAT16.kind


def detach(operand: Any) -> Any:
    """The plain value of an operand, tensor or not."""
    return operand.value if isinstance(operand, Tensor) else operand


class Tensor(NDArrayOperatorsMixin):
    """An array with the edge to the node that made it.

    Args:
        value: anything NumPy makes an array of; real or complex floating point if `requires_grad`.
        requires_grad: whether its gradient is accumulated in `grad` (this makes it a leaf).

    Raises:
        TypeError: if a gradient is required of integers or truth values, which have none.
    """

    __slots__ = ("__weakref__", "edge", "grad", "value")

    def __init__(self, value: Any, *, requires_grad: bool = False) -> None:
        self.value: np.ndarray[Any, Any] = value.value if isinstance(value, Tensor) else np.asarray(value)
        if requires_grad and not is_inexact(self.value.dtype):
            raise TypeError(f"only floating point tensors have gradients, not {self.value.dtype}")
        self.grad: np.ndarray[Any, Any] | None = None
        self.edge: Edge | None = (Accumulation(self), 0) if requires_grad else None

    # ---- attributes -------------------------------------------------------------------------

    @property
    def shape(self) -> Any:
        """The length of each axis."""
        return self.value.shape

    @property
    def ndim(self) -> int:
        """How many axes it has."""
        return self.value.ndim

    @property
    def size(self) -> int:
        """How many entries it has."""
        return self.value.size

    @property
    def dtype(self) -> Any:
        """The type of its entries."""
        return self.value.dtype

    @property
    def requires_grad(self) -> bool:
        """Whether a cotangent is sent back to it, or through it."""
        return self.edge is not None

    @property
    def is_leaf(self) -> bool:
        """Whether it was made by the user rather than by an operation."""
        return self.edge is None or isinstance(self.edge[0], Accumulation)

    @property
    def node(self) -> Node | None:
        """The node that made it (a leaf: the one that accumulates its gradient); None for a constant."""
        return self.edge[0] if self.edge else None

    def __len__(self) -> int:
        return len(self.value)

    def __repr__(self) -> str:
        made = f", node={self.node}" if not self.is_leaf else ", requires_grad=True" if self.edge else ""
        return f"Tensor({np.array2string(self.value, separator=', ')}{made})"

    # ---- NumPy's dispatch -------------------------------------------------------------------

    def __array_ufunc__(self, ufunc: Any, method: str, *operands: Any, **keywords: Any) -> Any:
        """Take over the call of a universal function, `np.tanh(x)` or `x + y`."""
        if method != "__call__" or keywords:
            raise TypeError(f"np.{ufunc.__name__}.{method} with {sorted(keywords)} has no derivative rule")
        row = ROWS.get(ufunc)
        return apply(row, operands, {}) if row else call(ufunc, operands, {})

    def __array_function__(self, function: Any, types: Any, operands: Any, keywords: Any) -> Any:
        """Take over the call of any other NumPy function, `np.sum(x, axis=0)`."""
        return call(function, operands, keywords)

    # ---- spellings --------------------------------------------------------------------------

    def __getitem__(self, index: Any) -> Any:
        """`x[index]`, with whatever index NumPy allows."""
        return apply(CATALOGUE["getitem"], (self,), {"index": _tuple(index)})

    @property
    def T(self) -> Any:  # noqa: N802 - NumPy's name
        """The transpose."""
        return call(np.transpose, (self,), {})

    @property
    def mT(self) -> Any:  # noqa: N802 - NumPy's name
        """The transpose of each matrix."""
        return call(np.matrix_transpose, (self,), {})

    def sum(self, axis: Any = None, *, keepdims: bool = False) -> Any:
        """`np.sum` of it."""
        return call(np.sum, (self,), {"axis": axis, "keepdims": keepdims})

    def mean(self, axis: Any = None, *, keepdims: bool = False) -> Any:
        """`np.mean` of it."""
        return call(np.mean, (self,), {"axis": axis, "keepdims": keepdims})

    def reshape(self, *shape: Any) -> Any:
        """`np.reshape` of it."""
        return call(np.reshape, (self,), {"shape": shape[0] if len(shape) == 1 else shape})

    def astype(self, dtype: Any) -> Any:
        """The same numbers in another floating point type."""
        return apply(CATALOGUE["astype"], (self,), {"dtype": np.dtype(dtype).name})

    def __setitem__(self, index: Any, value: Any) -> None:
        """`x[index] = value`, recorded by rebinding: no memory is written, so no saved value changes.

        The tensor takes over the value and the edge of a copy updated at `index`.

        Raises:
            RuntimeError: if the tensor is a leaf that requires a gradient, outside a no_grad scope.
        """
        if is_recording() and self.is_leaf and self.requires_grad:
            raise RuntimeError("a leaf that requires a gradient cannot be written while recording")
        index = _tuple(index)
        given = tensor_at(detach(value), edge_of(value))
        given = given if given.dtype == self.dtype else given.astype(self.dtype)
        place = self.value[index]
        while given.ndim > place.ndim and given.shape[0] == 1:  # NumPy ignores such axes
            given = given[0]
        spread = call(np.broadcast_to, (given,), {"shape": place.shape})
        updated = apply(CATALOGUE["index_update"], (self, spread), {"index": index})
        if is_recording():
            self.edge = updated.edge
        self.value = updated.value

    # ---- differentiation --------------------------------------------------------------------

    def backward(self, gradient: Any = None) -> None:
        """Add the gradient of this output to the `grad` of every leaf behind it.

        Args:
            gradient: the upstream cotangent dL/d(self), of this tensor's shape. A scalar output
                needs none: its seed is dL/dL = 1. An output with several entries has no such seed.

        Raises:
            ValueError: if the output is not a scalar and no gradient is given, or if the gradient's
                shape is not the output's.
            TypeError: if the output is complex and no gradient is given, or if it is real and the
                gradient complex.
            RuntimeError: if this output depends on no leaf that requires a gradient.
        """
        if self.edge is None:
            raise RuntimeError("nothing behind this tensor requires a gradient")
        with no_grad():
            leaves = backward_pass([(self.edge, seed(self, gradient).value)])
        for node, cotangents in leaves.items():
            if isinstance(node, Accumulation):
                node.accumulate(cotangents[0])

    def detach(self) -> Tensor:
        """The same value as a constant: nothing flows back through it."""
        return Tensor(self.value)


# ---- recording ------------------------------------------------------------------------------


def edge_of(operand: Any) -> Edge | None:
    """The edge along which the cotangent of an operand is sent; None for a constant."""
    return operand.edge if isinstance(operand, Tensor) else None


class Application(Node):
    """A row applied to operands, with what its rule needs: the operands' values, the output's, the parameters."""

    def __init__(
        self, row: Op, edges: Sequence[Edge | None], values: Any, output: Any, parameters: Any
    ) -> None:
        self.name, self.edges, self.number = row.name, edges, next_number()
        self.rule, self.values, self.output, self.parameters = row.rule, values, output, parameters

    def pullback(self, cotangents: Sequence[Any]) -> list[Any]:
        """The cotangents of the operands, by the row's rule; None where the operand needs none."""
        rule, values, z, parameters = self.rule, self.values, self.output, self.parameters
        g = complete(cotangents, z) if isinstance(z, tuple) else cotangents[0]
        xs = values
        if is_recording():
            # The backward pass itself is recorded, so the rule receives tensors and is recorded too. They are made
            # of the saved values, because the operands may have been written in place since.
            xs, z = remade(values, self.edges), wrap(z, self)
        pulled: list[Any] = []
        for i, edge in enumerate(self.edges):
            pulled.append(edge and fitted(rule(i, g, z, *xs, **parameters), values[i]))
        return pulled


def apply(op: Op, operands: Sequence[Any], parameters: Mapping[str, Any]) -> Any:
    """Compute a row on operands and, if any of them needs a gradient, record a node.

    The value of a flat row is a constant, but for numbers made of complex ones, such as an angle. At complex operands only a holomorphic row has a rule, the
    transpose of a complex-linear map, g ↦ g · f′, without a conjugate; and conj, whose rule conjugates.
    """
    values, edges, kinds = [], [], ""
    for x in operands:
        if isinstance(x, Tensor):
            value, edge = x.value, x.edge
        else:
            value, edge = beside(x, map(detach, operands)), None
        values.append(value)
        edges.append(edge)
        kinds += value.dtype.kind
    row = carrying(op) if NARROW in kinds else op
    output = row.reference(*values, **parameters)
    if op.has_constants:
        edges = [edge if op.is_differentiable(i) else None for i, edge in enumerate(edges)]
    is_constant = op.is_flat and ("c" not in kinds or not is_inexact(np.asarray(output).dtype))
    if is_constant or not any(edges) or not is_recording():
        return wrap(output, None)
    if "c" in kinds and op.traits.isdisjoint({Trait.HOLOMORPHIC, Trait.ANTILINEAR}):
        raise TypeError(f"{op.name} of complex numbers has no derivative here; detach what needs none")
    if isinstance(output, tuple):
        output = tuple(map(np.asarray, output))
        return wrap(output, Application(row, edges, values, output, parameters))
    output = np.asarray(output)
    return tensor_at(output, (Application(row, edges, values, output, parameters), 0))


def wrap(output: Any, node: Node | None) -> Any:
    """Tensors around plain outputs, made by `node`."""
    if isinstance(output, tuple):
        return tuple(tensor_at(z, (node, index) if node else None) for index, z in enumerate(output))
    return tensor_at(output, (node, 0) if node else None)


def tensor_at(value: Any, edge: Edge | None) -> Tensor:
    """A tensor whose cotangent goes along `edge`; a constant where there is none."""
    tensor = Tensor.__new__(Tensor)  # without the questions that `Tensor(value)` asks
    tensor.value = value = value if type(value) is np.ndarray else np.asarray(detach(value))
    tensor.edge = edge if edge and is_inexact(value.dtype) else None
    tensor.grad = None
    return tensor


def remade(values: Sequence[Any], edges: Sequence[Edge | None]) -> list[Any]:
    """The saved operands, as tensors where a cotangent is sent back to them."""
    return [x if edge is None else tensor_at(x, edge) for x, edge in zip(values, edges, strict=True)]


def _tuple(index: Any) -> tuple[Any, ...]:
    return index if isinstance(index, tuple) else (index,)


# ---- from a NumPy function to a row -----------------------------------------------------------


def call(function: Any, operands: Sequence[Any], keywords: Mapping[str, Any]) -> Any:
    """`function(*operands, **keywords)` where an operand is a tensor."""
    if spellings.is_flat(function):
        return function(*map(detach, operands), **{name: detach(x) for name, x in keywords.items()})
    return apply(*spellings.bind(function, operands, keywords))
