"""The adapter to the reference engine."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, ClassVar

import numpy as np

import conformance
from conformance.backend import Capability, GraphNode, NDArray, TapeBackend, as_tuple
from conformance.op import Op
from conformance.ops import ALL_OPS
from conformance_backends import numpy_engine as engine
from conformance_backends.dialects.of_numpy import TAPE
from conformance_backends.numpy_engine import Tensor, gradients
from conformance_backends.numpy_points import DEPARTURES
from conformance_backends.usual_points import declared_points


def _applied(op: Op) -> Callable[..., Tensor]:
    def call(*operands: Any, **parameters: Any) -> Any:
        return engine.apply(op, operands, parameters)

    return call


class NumpyTape(TapeBackend):
    """The reference engine through its tape: leaves, backward, grad."""

    engine: ClassVar[str] = "numpy"
    computes_with_numpy = True
    mode: ClassVar[str] = "tape"
    # Not COMPLEX: real functions of complex numbers (abs, real) have no row, only holomorphic ones do.
    dtypes: ClassVar[tuple[str, ...]] = (
        "float64",
        "float32",
        "float16",
        "bfloat16",
        "complex128",
        "complex64",
    )
    capabilities = frozenset(
        {
            Capability.TAPE,
            Capability.CLEARING,
            Capability.FREEZING,
            Capability.RETAINING,
            Capability.WRITABLE,
            Capability.NO_GRAD,
            Capability.DETACH,
            Capability.CUSTOM_RULE,
            Capability.SEVERAL_OUTPUTS,
            Capability.NEEDED_OPERANDS,
            Capability.FORWARD_RULES,
            Capability.GRAPH,
            Capability.DEEP,
            Capability.HIGHER_ORDER,
            Capability.FORWARD,
            Capability.CHECKPOINTING,
            Capability.LOOPS,
            Capability.BRANCHES,
            Capability.RANDOM_NUMBERS,
            Capability.DROPOUT,
            Capability.HOOKS,
            Capability.ANOMALY,
            Capability.RECORDED_WRITES,
            Capability.VALUE_WITH_GRADIENT,
            Capability.INTERMEDIATES,
            Capability.STRUCTURES,
            Capability.JACOBIANS,
        }
    )
    conventions: ClassVar[Mapping[str, str]] = {
        "A2": "refused",
        "A3": "refused",
        "A4": "refused",
        "A5": "cast",
        "A13": "none",
        "A14": "refused",
        "A16": "refused",
        "A18": "conjugate",
        "B3": "accumulates",
        "B4": "kept",
        "B8": "none",
        "B11": "100 000 nodes",
        "C3": "shares",
        "C4": "none",
        "C5": "refused",
        "C6": "calls",
        "C7": "eager",
        "C11": "reverse",
        "D4": "hazard",
        "D5": "refused",
        "D6": "copies",
        "D9": "each",
        "D11": "recorded",
        "E16": "trap",
        "E19": "refused",
    }
    ops: ClassVar[Mapping[str, Callable[..., Any]]] = {name: _applied(op) for name, op in ALL_OPS.items()}
    points = declared_points(ops, DEPARTURES)
    dialect = TAPE

    def version(self) -> str:
        """The suite's version: the reference engine is part of it."""
        return conformance.__version__

    def array(self, value: np.ndarray[Any, Any]) -> Tensor:
        """A constant tensor around `value` itself, however it lies in memory."""
        return Tensor(value)

    def numpy(self, array: Any) -> np.ndarray[Any, Any]:
        """The tensor's array, or the array itself: gradients are plain arrays, 0-d cotangents NumPy's scalars."""
        return array.value if isinstance(array, Tensor) else np.asarray(array)

    def leaf(self, value: np.ndarray[Any, Any]) -> Tensor:
        """A tensor whose gradient is wanted."""
        return Tensor(value, requires_grad=True)

    def backward(self, output: Any, gradient: Any = None, *, retain: bool = False) -> None:
        """The engine's own backward, which never frees a graph."""
        output.backward(gradient)

    def grad(self, leaf: Any) -> Any:
        """The accumulated gradient."""
        return leaf.grad

    def clear(self, leaf: Any) -> None:
        """Set it to None."""
        leaf.grad = None

    def needs_gradient(self, leaf: Any, flag: bool) -> None:
        """The engine's switch."""
        engine.needs_gradient(leaf, flag)

    def memory(self, array: Any) -> np.ndarray[Any, Any]:
        """The array behind a tensor."""
        return self.numpy(array)

    def no_grad(self) -> AbstractContextManager[Any]:
        """The engine's scope."""
        return engine.no_grad()

    def detach(self, array: Any) -> Tensor:
        """The engine's detach."""
        return array.detach()  # type: ignore[no-any-return]

    def custom(self, forward: Callable[..., Any], backward: Callable[..., Any]) -> Callable[..., Any]:
        """The engine's custom rule."""
        return engine.custom(forward, backward)

    def custom_by_operand(
        self, forward: Callable[..., Any], backward: Callable[..., Any]
    ) -> Callable[..., Any]:
        """The engine's custom rule of each operand."""
        return engine.custom_by_operand(forward, backward)

    def custom_forward(
        self, forward: Callable[..., Any], pushforward: Callable[..., Any]
    ) -> Callable[..., Any]:
        """The engine's custom rule of forward mode."""
        return engine.custom_forward(forward, pushforward)

    def graph(self, output: Any) -> GraphNode:
        """The engine's nodes as records of the suite."""
        return _shown(output.node)

    def nested_vjp(
        self, function: Callable[..., Any], arrays: Sequence[Any], cotangents: Sequence[Any]
    ) -> tuple[Any, ...]:
        """The engine's pullback, which is always recorded."""
        _, pullback = engine.vjp(function, *arrays)
        return pullback(*cotangents)

    def jvp(
        self, function: Callable[..., Any], operands: Sequence[NDArray], tangents: Sequence[NDArray]
    ) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
        """The engine's forward mode, a VJP of a VJP."""
        outputs, pushed = engine.jvp(function, tuple(operands), tuple(tangents))
        return as_tuple(outputs), as_tuple(pushed)

    def nested_jvp(
        self, function: Callable[..., Any], arrays: Sequence[Any], tangents: Sequence[Any]
    ) -> tuple[Any, ...]:
        """The same, recorded as everything is."""
        return as_tuple(engine.jvp(function, tuple(arrays), tuple(tangents))[1])

    def noise(self, like: Any) -> Any:
        """The engine's zeros and ones."""
        return engine.bernoulli(like)

    def dropout(self, x: Any, rate: float) -> Any:
        """The engine's."""
        return engine.dropout(x, rate)

    def checkpoint(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """The engine's checkpoint."""
        return engine.checkpoint(function)

    def scan(self, step: Callable[..., Any], carry: Any, items: Any) -> tuple[Any, Any]:
        """The engine's loop."""
        return engine.scan(step, carry, items)

    def while_loop(self, condition: Callable[..., Any], step: Callable[..., Any], carry: Any) -> Any:
        """The engine's loop."""
        return engine.while_loop(condition, step, carry)

    def branch(
        self,
        condition: Any,
        then: Callable[..., Any],
        otherwise: Callable[..., Any],
        operands: Sequence[Any],
    ) -> Any:
        """The engine's branch."""
        return engine.branch(condition, then, otherwise, operands)

    def jacobian(
        self, function: Callable[..., Any], operands: Sequence[NDArray], kind: str = "rows"
    ) -> Sequence[Any]:
        """The engine's functions of these names."""
        if kind == "hessian":
            return (engine.hessian(function, *operands),)
        whole = engine.jacobian if kind == "rows" else engine.jacobian_by_columns
        return whole(function, *operands)

    def value_and_gradient(
        self,
        function: Callable[..., Any],
        arrays: Sequence[Any],
        wrt: int | tuple[int, ...],
        *,
        auxiliary: bool = False,
    ) -> tuple[Any, Any, Any]:
        """The engine's value_and_grad."""
        value, gradients = engine.value_and_grad(function, wrt, has_aux=auxiliary)(*arrays)
        return (value[0], gradients, value[1]) if auxiliary else (value, gradients, None)

    def gradients_within(
        self, function: Callable[..., Any], operands: Sequence[NDArray], cotangents: Sequence[NDArray]
    ) -> Sequence[Any]:
        """The engine's gradients."""
        given = [*map(self.array, operands)], [*map(self.array, cotangents)]
        found: Sequence[Any] = gradients_within(function, *given)
        return found

    def structured_gradient(self, function: Callable[..., Any], structure: Any) -> Any:
        """The engine's grad of one structured operand."""
        return engine.grad(function)(structure)[0]

    def hook(self, array: Any, seen: Callable[[Any], Any]) -> Callable[[], None]:
        """The engine's hook."""
        return engine.hook(array, seen)

    def anomaly(self) -> AbstractContextManager[Any]:
        """The engine's scope."""
        return engine.anomaly()

    def assign(self, array: Any, index: Any, value: Any) -> None:
        """The tensor rebound."""
        array[index] = value


def gradients_within(function: Any, arrays: Any, cotangents: Any) -> Any:
    """The engine's gradients, by tensors that a function of new leaves returns beside its outputs."""
    outputs, tensors = function(*[Tensor(x.value, requires_grad=True) for x in arrays])
    return gradients(outputs, tensors, cotangents)


def _shown(node: engine.Node | None) -> GraphNode:
    if node is None:
        raise ValueError("a constant has no node")
    return GraphNode(
        name=node.name,
        inputs=tuple(None if n is None else _shown(n) for n in node.inputs),
        variable=getattr(node, "variable", None),
        names_variable=hasattr(node, "variable"),
    )
