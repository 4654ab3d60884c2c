"""The backend protocol: what the adapter to an engine says and does.

An adapter converts arrays both ways, finds an op by name, and offers one of two faces. A tape engine
has leaves, `backward` and `grad`; a functional engine has `pullback`. What an adapter does not offer
raises `Unsupported` with a reason, and is never imitated.
"""

from __future__ import annotations

import abc
import enum
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from conformance.errors import Unsupported

NDArray = np.ndarray[Any, Any]
Function = Callable[..., Any]


class Capability(enum.Enum):
    """Something an engine may offer beyond gradients; the value says it to a reader."""

    TAPE = "leaves keep their gradients, and backward() fills them"
    CLEARING = "a leaf's gradient can be cleared"
    RETAINING = "backward can be asked more than once of one graph"
    WRITABLE = "arrays can be written in place"
    NO_GRAD = "a scope in which nothing is recorded"
    DETACH = "a value can be cut from its history"
    CUSTOM_RULE = "users can write an op's derivative by hand"
    GRAPH = "the recorded graph can be looked at"
    DEEP = "graphs of 10 000 nodes are recorded one by one"


@dataclass(frozen=True)
class GraphNode:
    """One node of a recorded graph, as the engine shows it.

    `inputs` are the nodes of the operands in operand order, None for a constant. `variable` is the leaf
    whose gradient accumulates here; `names_variable` whether asking the engine's node for it works.
    """

    name: str
    inputs: tuple[GraphNode | None, ...]
    variable: Any = None
    names_variable: bool = False


@dataclass(frozen=True)
class Dialect:
    """How the engine's calls are written, so that a failure can be told in the engine's own API.

    Each field is a template: `{values}` nested lists, `{dtype}` its name, `{array}` (in `leaf`) an array
    written by `array` and made to lie in memory as the failing one did; the others are names of
    variables. A tape engine fills `leaf`, `backward`, `backward_with`, `backward_retaining` (where its graphs
    are freed otherwise) and `grad`; a functional one `pullback` and `gradient`.
    """

    imports: str
    array: str
    leaf: str = ""
    backward: str = ""
    backward_with: str = ""
    backward_retaining: str = ""
    grad: str = ""
    clear: str = ""
    pullback: str = ""
    gradient: str = ""
    detach: str = ""
    no_grad: str = ""
    call: str = ""  # of an op that the adapter's source does not spell: {name}, {operands}, {parameters}
    show: str = "print({value})"


@dataclass(frozen=True)
class Trace:
    """A call of which gradients can be asked: the engine's arrays that went in and came out.

    `pull` takes one of the engine's arrays per output and returns the gradients of the operands that
    need one (None where the engine gives none). It need not work twice.
    """

    arrays: tuple[Any, ...]
    outputs: tuple[Any, ...]
    pull: Callable[[Sequence[Any]], tuple[Any, ...]]


class Backend(abc.ABC):
    """The adapter to one engine in one mode. Subclass `TapeBackend` or `FunctionalBackend`.

    Attributes:
        engine: the engine's distribution name, as its users install it.
        mode: how it is called, where there is more than one way ("tape", "jit").
        dtypes: the floating point types it has gradients in.
        capabilities: what it offers; each is probed before it is believed.
        conventions: for each clause in which engines may differ, the alternative it elects.
        ops: the catalogue's ops it has, each a function of the engine's arrays with the catalogue's
            operands by position and parameters by keyword.
        dialect: how its calls are written, for scripts.
    """

    engine: ClassVar[str]
    mode: ClassVar[str] = ""
    dtypes: ClassVar[tuple[str, ...]] = ("float64", "float32")
    capabilities: ClassVar[frozenset[Capability]] = frozenset()
    conventions: ClassVar[Mapping[str, str]] = {}
    ops: ClassVar[Mapping[str, Function]]
    dialect: ClassVar[Dialect | None] = None

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


def restricted(function: Function, arrays: Sequence[Any], chosen: Sequence[int]) -> Function:
    """`function` of the chosen operands alone, the others held at `arrays`."""
    if list(chosen) == list(range(len(arrays))):
        return function

    def of_chosen(*variables: Any) -> Any:
        filled = list(arrays)
        for index, variable in zip(chosen, variables, strict=True):
            filled[index] = variable
        return function(*filled)

    return of_chosen


def as_tuple(outputs: Any) -> tuple[Any, ...]:
    """The outputs of an op, one or several, as a tuple."""
    return tuple(outputs) if isinstance(outputs, (tuple, list)) else (outputs,)
