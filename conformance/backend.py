"""The backend protocol: the methods of an adapter to an engine.

Every optional method raises `Unsupported` until it is overridden; an adapter never imitates what its engine lacks.
"""

from __future__ import annotations

import abc
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, ClassVar

import numpy as np

from conformance.capability import Capability as Capability
from conformance.dialect import Dialect as Dialect
from conformance.errors import Unsupported
from conformance.parameters import Lacking, require_parameters, with_parameters
from conformance.trace import Function as Function
from conformance.trace import GraphNode as GraphNode
from conformance.trace import NDArray as NDArray
from conformance.trace import Trace as Trace
from conformance.trace import as_tuple as as_tuple
from conformance.trace import pulled
from conformance.trace import restricted as restricted


class Backend(abc.ABC):
    """The adapter to one engine in one mode. Subclass `TapeBackend` or `FunctionalBackend`.

    Attributes:
        engine: the engine's distribution name, as its users install it.
        mode: how the engine is called, where there are several ("tape", "jit").
        dtypes: the names of the floating point dtypes in which it has gradients.
        is_spelling: whether its ops are other functions for what another mode has, as `x.pow_(y)` for `pow(x, y)`: they alone are asked.
        compiles_signatures, compiles_functions: whether a new shape or parameter costs a compilation; of a whole function.
        no_gradient: for a dtype, or "*" for all, the ops whose value it computes and whose gradient it refuses.
        lacks: for an op, for a parameter, the values that the engine does not take; a type stands for all of it.
        capabilities: what it offers beyond gradients; a probe tries each.
        conventions: for each clause that allows several, the engine's; where one op differs, also under "A5/sum".
        points: for each special point, the declared convention (`conformance atlas BACKEND --conventions` measures).
        ops: by the catalogue's names, functions of the engine's arrays, operands by position, parameters by keyword.
        dialect: how calls are written, for scripts.
        testers: the engine's own gradient tests by name: whether one accepts the gradients of a function at operands.
    """

    engine: ClassVar[str]
    mode: ClassVar[str] = ""
    dtypes: ClassVar[tuple[str, ...]] = ("float64", "float32")
    no_gradient: ClassVar[Mapping[str, frozenset[str]]] = {}
    is_spelling: ClassVar[bool] = False
    compiles_signatures: ClassVar[bool] = False
    compiles_functions: ClassVar[bool] = False
    lacks: ClassVar[Lacking] = {}
    capabilities: ClassVar[frozenset[Capability]] = frozenset()
    conventions: ClassVar[Mapping[str, str]] = {}
    points: ClassVar[Mapping[str, str]] = {}
    ops: ClassVar[Mapping[str, Function]]
    dialect: ClassVar[Dialect | None] = None
    testers: ClassVar[Mapping[str, Callable[[Function, Sequence[NDArray]], bool]]] = {}

    name: str = ""  # the name under which it was loaded

    def __init__(self) -> None:
        self._calls: dict[tuple[str, str], Function] = {}

    # ---- required of every adapter ------------------------------------------------------------

    @abc.abstractmethod
    def version(self) -> str:
        """The engine's version, as text."""

    @abc.abstractmethod
    def array(self, value: NDArray) -> Any:
        """The engine's array of these values: a constant, of the same shape and dtype, and layout if possible."""

    @abc.abstractmethod
    def numpy(self, array: Any) -> NDArray:
        """The values of one of the engine's arrays: a numpy.ndarray of the same shape and dtype."""

    @abc.abstractmethod
    def trace(
        self, function: Function, operands: Sequence[NDArray], wrt: Sequence[int] | None = None
    ) -> Trace:
        """Call `function` on the engine's arrays of `operands`, recorded for one backward pass; `wrt` as in `vjp`."""

    @abc.abstractmethod
    def gradient(self, function: Function, operands: Sequence[NDArray]) -> tuple[Any, ...]:
        """The operands' gradients of one output, without a gradient argument; the engine may raise where it is no scalar."""

    # ---- defaults, which an adapter may override ---------------------------------------------------------

    def op(self, name: str) -> Function:
        """The engine's function for an op of the catalogue; Unsupported where `ops` does not name it."""
        try:
            return self.ops[name]
        except KeyError:
            raise Unsupported(f"the adapter of {self.engine} names no {name}") from None

    def call(self, name: str, parameters: Mapping[str, Any]) -> Function:
        """The op with its parameters set; the same object at every call, so that compilers can cache it."""
        key = (name, repr(sorted(parameters.items())))
        if key not in self._calls:
            require_parameters(self.engine, name, parameters, self.lacks)
            self._calls[key] = with_parameters(name, self.op(name), parameters)
        return self._calls[key]

    def vjp(
        self,
        function: Function,
        operands: Sequence[NDArray],
        cotangents: Sequence[NDArray],
        wrt: Sequence[int] | None = None,
    ) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
        """The outputs, and one gradient per operand in `wrt`, of its shape and dtype; None where there is none.

        `function` takes the engine's arrays of the operands' values, and returns one or a tuple of them; each has a
        cotangent, of its shape and dtype. `wrt` are the operands that need a gradient, by default all.
        """
        traced = self.trace(function, operands, wrt)
        return traced.outputs, traced.pull([self.array(np.asarray(g)) for g in cotangents])

    def forward(self, function: Function, operands: Sequence[NDArray]) -> tuple[Any, ...]:
        """The outputs of `function`, with nothing recorded."""
        return as_tuple(function(*map(self.array, operands)))

    def finish(self, array: Any) -> None:  # noqa: B027 - most engines have nothing to wait for
        """Compute `array`, where the engine does so later, and keep its history."""

    def forget(self) -> None:  # noqa: B027 - most engines cache nothing
        """Drop compiled functions, which would fill the memory in a long run; called now and then between ops."""

    def keep_compiled(self, folder: str) -> str:
        """Keep what is compiled in a folder of this engine's own, for later processes; returns why it cannot, if so."""
        return ""

    def memory(self, array: Any) -> NDArray:
        """The memory of one of the engine's arrays, as a writable numpy.ndarray of its shape and dtype."""
        raise Unsupported(f"arrays of {self.engine} are immutable")

    def no_grad(self) -> AbstractContextManager[Any]:
        """A scope in which nothing is recorded."""
        raise Unsupported(f"{self.engine} has no no_grad scope")

    def detach(self, array: Any) -> Any:
        """The same value as a constant, through which no gradient flows."""
        raise Unsupported(f"{self.engine} does not detach values")

    def custom(self, forward: Function, backward: Function) -> Function:
        """An op with a custom rule.

        `forward(*operands)` returns the output, `backward(g, *operands)` a tuple of one cotangent per operand, None for
        zero. Both receive the arrays that the engine passes to custom rules, and use only `+ - * @` and `.T`.
        """
        raise Unsupported(f"{self.engine} has no custom rules")

    def custom_by_operand(self, forward: Function, backward: Function) -> Function:
        """An op of one or several outputs: `backward(i, cotangents, operands, outputs)` is the cotangent of operand i.

        An output that is not used has a cotangent of zeros. Called for operands that need a gradient, where known.
        """
        raise Unsupported(f"{self.engine} has no custom rules for each operand")

    def graph(self, output: Any) -> GraphNode:
        """The node of the op that made `output`."""
        raise Unsupported(f"{self.engine} does not show its graph")

    # ---- higher order, forward mode ------------------------------------------------------------------

    def nested_vjp(
        self, function: Function, arrays: Sequence[Any], cotangents: Sequence[Any]
    ) -> tuple[Any, ...]:
        """The gradients of `function` with respect to every array, recorded for another gradient.

        `arrays` and `cotangents`, one per output, are the engine's arrays. May be called inside a function that
        is differentiated, where the result depends on both. Changes no stored gradient.
        """
        raise Unsupported(f"{self.engine} does not differentiate its gradients")

    def jvp(
        self, function: Function, operands: Sequence[NDArray], tangents: Sequence[NDArray]
    ) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
        """The outputs, and their tangents along `tangents`, one per operand; None where the engine gives none."""
        raise Unsupported(f"{self.engine} has no forward mode")

    def nested_jvp(
        self, function: Function, arrays: Sequence[Any], tangents: Sequence[Any]
    ) -> tuple[Any, ...]:
        """The outputs' tangents, recorded: like `jvp`, on the engine's arrays inside a differentiated function."""
        raise Unsupported(f"{self.engine} does not differentiate its forward mode")

    def jacobian(self, function: Function, operands: Sequence[NDArray], kind: str = "rows") -> Sequence[Any]:
        """For each operand the Jacobian of the one output, by the engine's own function: of the output's shape, then the operand's.

        By "rows" or "columns" (forward mode); for kind "hessian" the second derivatives of a scalar.
        """
        raise Unsupported(f"{self.engine} has no function for the {kind} of a Jacobian")

    # ---- transforms of functions ----------------------------------------------------------------

    def compiled(self, function: Function) -> Function:
        """The function compiled; it takes the engine's arrays and is differentiated like any other."""
        raise Unsupported(f"{self.engine} does not compile")

    def vectorized(self, function: Function) -> Function:
        """The function mapped over the leading axis of every operand, its outputs stacked along that axis."""
        raise Unsupported(f"{self.engine} does not vectorize")

    def checkpoint(self, function: Function) -> Function:
        """The function, whose intermediate values the backward pass computes again instead of keeping them."""
        raise Unsupported(f"{self.engine} has no checkpoints")

    def structured_gradient(self, function: Function, structure: Any) -> Any:
        """The gradient, in the same structure, of a scalar function of nested lists, tuples and dicts of arrays."""
        raise Unsupported(f"{self.engine} does not accept structures")

    # ---- hooks, anomalies, writes ----------------------------------------------------

    def hook(self, array: Any, seen: Callable[[Any], Any]) -> Callable[[], None]:
        """Register `seen`, which backward calls with the summed cotangent of `array`; returns its remover.

        What `seen` returns replaces the cotangent, unless it is None.
        """
        raise Unsupported(f"{self.engine} has no hooks")

    def anomaly(self) -> AbstractContextManager[Any]:
        """A scope in which a NaN made by a rule raises an error that names the op of the forward pass."""
        raise Unsupported(f"{self.engine} does not detect anomalies")

    def assign(self, array: Any, index: Any, value: Any) -> None:
        """`array[index] = value`, recorded; raises what the engine raises where it refuses the write."""
        raise Unsupported(f"{self.engine} does not record writes in place")


class TapeBackend(Backend):
    """The adapter to an engine whose leaves keep their gradients: define `leaf`, `backward` and `grad`."""

    @abc.abstractmethod
    def leaf(self, value: NDArray) -> Any:
        """The engine's array of these values that needs a gradient, of the same shape and dtype."""

    @abc.abstractmethod
    def backward(self, output: Any, gradient: Any = None, *, retain: bool = False) -> None:
        """Run the backward pass from `output`, which adds to the gradients of its leaves.

        Args:
            output: the engine's array.
            gradient: its cotangent, the engine's array of its shape; None for the engine's default.
            retain: whether the graph is kept for another backward pass.
        """

    @abc.abstractmethod
    def grad(self, leaf: Any) -> Any:
        """The stored gradient of a leaf, of its shape and dtype; None where none is stored."""

    def clear(self, leaf: Any) -> None:
        """Clear the stored gradient of a leaf."""
        raise Unsupported(f"{self.engine} cannot clear a gradient")

    def trace(
        self, function: Function, operands: Sequence[NDArray], wrt: Sequence[int] | None = None
    ) -> Trace:
        """A forward pass from new leaves; `pull` is one backward call per output."""
        chosen = range(len(operands)) if wrt is None else wrt
        arrays = [self.leaf(x) if i in chosen else self.array(x) for i, x in enumerate(operands)]
        outputs = as_tuple(function(*arrays))

        def pull(cotangents: Sequence[Any]) -> tuple[Any, ...]:
            return pulled(self, outputs, cotangents, [arrays[i] for i in chosen])

        return Trace(tuple(arrays), outputs, pull)

    def gradient(self, function: Function, operands: Sequence[NDArray]) -> tuple[Any, ...]:
        """New leaves, backward() without a gradient argument, then the stored gradients."""
        leaves = [self.leaf(x) for x in operands]
        self.backward(function(*leaves))
        return tuple(self.grad(leaf) for leaf in leaves)


class FunctionalBackend(Backend):
    """The adapter to an engine that transforms functions: define `pullback` and `gradient`."""

    @abc.abstractmethod
    def pullback(self, function: Function, arrays: Sequence[Any]) -> tuple[Any, Function]:
        """The output of `function`, and its pullback: from one cotangent, or a tuple as the output is one, to one per array."""

    def trace(
        self, function: Function, operands: Sequence[NDArray], wrt: Sequence[int] | None = None
    ) -> Trace:
        """The pullback at the engine's arrays of `operands`."""
        arrays = [self.array(x) for x in operands]
        chosen = range(len(operands)) if wrt is None else wrt
        output, pulled = self.pullback(restricted(function, arrays, chosen), [arrays[i] for i in chosen])
        has_several = isinstance(output, (tuple, list))

        def pull(cotangents: Sequence[Any]) -> tuple[Any, ...]:
            return tuple(pulled(type(output)(cotangents) if has_several else cotangents[0]))

        return Trace(tuple(arrays), as_tuple(output), pull)
