"""The backend protocol: what the adapter to an engine says and does.

An adapter converts arrays both ways, finds an op by name, and offers one of two faces. A tape engine
has leaves, `backward` and `grad`; a functional engine has `pullback`. What an adapter does not offer
raises `Unsupported` with a reason, and is never imitated.
"""

from __future__ import annotations

import abc
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, ClassVar

from conformance.capability import Capability as Capability
from conformance.dialect import Dialect as Dialect
from conformance.errors import Unsupported
from conformance.trace import Function as Function
from conformance.trace import GraphNode as GraphNode
from conformance.trace import NDArray as NDArray
from conformance.trace import Trace as Trace
from conformance.trace import as_tuple as as_tuple
from conformance.trace import restricted as restricted


class Backend(abc.ABC):
    """The adapter to one engine in one mode. Subclass `TapeBackend` or `FunctionalBackend`.

    Attributes:
        engine: the engine's distribution name, as its users install it.
        mode: how it is called, where there is more than one way ("tape", "jit").
        dtypes: the floating point types it has gradients in.
        capabilities: what it offers; each is probed before it is believed.
        conventions: for each clause in which engines may differ, the alternative it elects.
        points: for each special point at which it is to be held to a convention, which one
            (`conformance atlas BACKEND --elections` prints them all, measured).
        ops: the catalogue's ops it has, each a function of the engine's arrays with the catalogue's
            operands by position and parameters by keyword.
        dialect: how its calls are written, for scripts.
        testers: the engine's own tests of gradients by name, at their defaults: whether one finds the
            gradients of a function right at some operands. Their sensitivity is measured beside the suite's.
    """

    engine: ClassVar[str]
    mode: ClassVar[str] = ""
    dtypes: ClassVar[tuple[str, ...]] = ("float64", "float32")
    capabilities: ClassVar[frozenset[Capability]] = frozenset()
    conventions: ClassVar[Mapping[str, str]] = {}
    points: ClassVar[Mapping[str, str]] = {}
    ops: ClassVar[Mapping[str, Function]]
    dialect: ClassVar[Dialect | None] = None
    testers: ClassVar[Mapping[str, Callable[[Function, Sequence[NDArray]], bool]]] = {}

    name: str = ""  # how this backend was asked for; set when it is loaded

    def __init__(self) -> None:
        self._calls: dict[tuple[str, str], Function] = {}

    # ---- what every adapter writes ------------------------------------------------------------

    @abc.abstractmethod
    def version(self) -> str:
        """The engine's version."""

    @abc.abstractmethod
    def array(self, value: NDArray) -> Any:
        """The engine's array of these values: a constant, of the same dtype and layout if it can be."""

    @abc.abstractmethod
    def numpy(self, array: Any) -> NDArray:
        """The values of one of the engine's arrays."""

    @abc.abstractmethod
    def trace(
        self, function: Function, operands: Sequence[NDArray], wrt: Sequence[int] | None = None
    ) -> Trace:
        """Call `function` on the operands, of which those in `wrt` (by default all) need a gradient."""

    @abc.abstractmethod
    def gradient(self, function: Function, operands: Sequence[NDArray]) -> tuple[Any, ...]:
        """The gradient of every operand, asked for without a cotangent, as the engine's users do."""

    # ---- what follows, or is overridden ---------------------------------------------------------

    def op(self, name: str) -> Function:
        """The engine's function for an op of the catalogue; raises Unsupported where it has none."""
        try:
            return self.ops[name]
        except KeyError:
            raise Unsupported(f"the adapter of {self.engine} names no {name}") from None

    def call(self, name: str, parameters: Mapping[str, Any]) -> Function:
        """The op with its parameters set; the same object every time, so that compilers may remember it."""
        key = (name, repr(sorted(parameters.items())))
        if key not in self._calls:
            function, fixed = self.op(name), dict(parameters)
            self._calls[key] = lambda *operands: function(*operands, **fixed)
        return self._calls[key]

    def vjp(
        self,
        function: Function,
        operands: Sequence[NDArray],
        cotangents: Sequence[NDArray],
        wrt: Sequence[int] | None = None,
    ) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
        """Call `function` and pull the cotangents back.

        Args:
            function: takes the engine's arrays, returns one or a tuple of them.
            operands: their values.
            cotangents: one per output.
            wrt: which operands need a gradient; all by default. The others are constants.

        Returns:
            The outputs, and the gradients of the operands in `wrt` (None where the engine gives none).
        """
        traced = self.trace(function, operands, wrt)
        return traced.outputs, traced.pull([self.array(g) for g in cotangents])

    def forward(self, function: Function, operands: Sequence[NDArray]) -> tuple[Any, ...]:
        """The outputs alone, with nothing recorded for a gradient."""
        return as_tuple(function(*map(self.array, operands)))

    def finish(self, array: Any) -> None:  # noqa: B027 - most engines have nothing to wait for
        """Wait until `array` has been computed; an engine that computes at once has nothing to do."""

    def forget(self) -> None:  # noqa: B027 - most engines remember nothing
        """Drop what is remembered of functions that will not be called again, as what was compiled of them.

        Called now and then between two ops; without it, what an engine compiles fills memory as a run goes on.
        """

    def memory(self, array: Any) -> NDArray:
        """The memory of one of the engine's arrays, writable; Unsupported where arrays are immutable."""
        raise Unsupported(f"arrays of {self.engine} are immutable")

    def no_grad(self) -> AbstractContextManager[Any]:
        """A scope in which nothing is recorded."""
        raise Unsupported(f"{self.engine} has no scope without recording")

    def detach(self, array: Any) -> Any:
        """The same value, cut from its history."""
        raise Unsupported(f"{self.engine} cannot cut a value from its history")

    def custom(self, forward: Function, backward: Function) -> Function:
        """An op with a derivative written by hand.

        `forward(*operands)` returns the output; `backward(g, *operands)` one cotangent per operand; both
        on whatever arrays the engine hands to such rules, using only `+ - * @` and `.T`.
        """
        raise Unsupported(f"{self.engine} has no rules written by hand")

    def graph(self, output: Any) -> GraphNode:
        """The node that made `output`."""
        raise Unsupported(f"{self.engine} does not show its graph")

    # ---- gradients of gradients, and forward mode; all on the engine's arrays where not said otherwise ----

    def nested_vjp(
        self, function: Function, arrays: Sequence[Any], cotangents: Sequence[Any]
    ) -> tuple[Any, ...]:
        """The gradients of `function` with respect to every array, themselves recorded.

        May be called inside a function whose gradient is asked: what it returns depends on `arrays` and
        `cotangents` (one per output) as any op's output does. Touches no stored gradient.
        """
        raise Unsupported(f"{self.engine} does not differentiate its gradients")

    def jvp(
        self, function: Function, operands: Sequence[NDArray], tangents: Sequence[NDArray]
    ) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
        """The outputs, and how each moves when every operand moves along its tangent (forward mode)."""
        raise Unsupported(f"{self.engine} has no forward mode")

    def nested_jvp(
        self, function: Function, arrays: Sequence[Any], tangents: Sequence[Any]
    ) -> tuple[Any, ...]:
        """The outputs' tangents, themselves recorded: for use inside a function that is differentiated."""
        raise Unsupported(f"{self.engine} does not differentiate its forward mode")

    # ---- other ways to run a function ----------------------------------------------------------------

    def compiled(self, function: Function) -> Function:
        """The function compiled, to be called on the engine's arrays and differentiated like any other."""
        raise Unsupported(f"{self.engine} does not compile")

    def vectorized(self, function: Function) -> Function:
        """The function mapped over the leading axis of every operand, and stacked along it."""
        raise Unsupported(f"{self.engine} does not vectorize")

    def checkpoint(self, function: Function) -> Function:
        """The function computed anew on the way back instead of being remembered."""
        raise Unsupported(f"{self.engine} has no checkpoints")

    def structured_gradient(self, function: Function, structure: Any) -> Any:
        """The gradient of a scalar function of one structure: nested lists, tuples and dicts of NumPy arrays."""
        raise Unsupported(f"{self.engine} takes no structures")

    # ---- watching and changing a recorded computation ----------------------------------------------------

    def hook(self, array: Any, seen: Callable[[Any], Any]) -> Callable[[], None]:
        """Have `seen` called with the cotangent of `array` on its way back; returns what removes it.

        Where `seen` returns something other than None, that takes the cotangent's place.
        """
        raise Unsupported(f"{self.engine} has no hooks")

    def anomaly(self) -> AbstractContextManager[Any]:
        """A scope in which a NaN made on the way back raises an error that names the op of the forward pass."""
        raise Unsupported(f"{self.engine} does not look for anomalies")

    def assign(self, array: Any, index: Any, value: Any) -> None:
        """`array[index] = value`, recorded; raises what the engine raises where it refuses."""
        raise Unsupported(f"{self.engine} does not record writes in place")


class TapeBackend(Backend):
    """An engine whose leaves keep their gradients: write `leaf`, `backward` and `grad`."""

    @abc.abstractmethod
    def leaf(self, value: NDArray) -> Any:
        """An array that needs a gradient."""

    @abc.abstractmethod
    def backward(self, output: Any, gradient: Any = None, *, retain: bool = False) -> None:
        """Send `gradient` (the engine's array, or None) back from `output`.

        `retain` asks that the graph can be walked again.
        """

    @abc.abstractmethod
    def grad(self, leaf: Any) -> Any:
        """What has accumulated at a leaf; None where nothing has."""

    def clear(self, leaf: Any) -> None:
        """Forget what has accumulated at a leaf."""
        raise Unsupported(f"{self.engine} cannot clear a gradient")

    def trace(
        self, function: Function, operands: Sequence[NDArray], wrt: Sequence[int] | None = None
    ) -> Trace:
        """A forward pass from fresh leaves; pulling back is one backward call per output."""
        chosen = range(len(operands)) if wrt is None else wrt
        arrays = [self.leaf(x) if i in chosen else self.array(x) for i, x in enumerate(operands)]
        outputs = as_tuple(function(*arrays))

        def pull(cotangents: Sequence[Any]) -> tuple[Any, ...]:
            for position, (output, g) in enumerate(zip(outputs, cotangents, strict=True), start=1):
                self.backward(output, g, retain=position < len(outputs))
            return tuple(self.grad(arrays[i]) for i in chosen)

        return Trace(tuple(arrays), outputs, pull)

    def gradient(self, function: Function, operands: Sequence[NDArray]) -> tuple[Any, ...]:
        """Leaves, the output, backward() without an argument, and what the leaves then hold."""
        leaves = [self.leaf(x) for x in operands]
        self.backward(function(*leaves))
        return tuple(self.grad(leaf) for leaf in leaves)


class FunctionalBackend(Backend):
    """An engine whose gradients are functions of functions: write `pullback` and `gradient`."""

    @abc.abstractmethod
    def pullback(self, function: Function, arrays: Sequence[Any]) -> tuple[Any, Function]:
        """The output of `function` at the engine's arrays, and its pullback.

        The pullback takes what the function returned in structure (one cotangent, or a tuple) and
        returns a tuple with one gradient per array.
        """

    def trace(
        self, function: Function, operands: Sequence[NDArray], wrt: Sequence[int] | None = None
    ) -> Trace:
        """A pullback at the engine's arrays."""
        arrays = [self.array(x) for x in operands]
        chosen = range(len(operands)) if wrt is None else wrt
        output, pulled = self.pullback(restricted(function, arrays, chosen), [arrays[i] for i in chosen])
        has_several = isinstance(output, (tuple, list))

        def pull(cotangents: Sequence[Any]) -> tuple[Any, ...]:
            return tuple(pulled(type(output)(cotangents) if has_several else cotangents[0]))

        return Trace(tuple(arrays), as_tuple(output), pull)
