"""The backend protocol: the methods of an adapter to an engine.

What every adapter has stands here; what an engine may offer beyond that, in `offers`.
"""

from __future__ import annotations

import abc
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from conformance.capability import Capability as Capability
from conformance.dialect import Dialect as Dialect
from conformance.errors import AdapterError, Unsupported
from conformance.offers import Offers
from conformance.parameters import Lacking, require_parameters, with_parameters
from conformance.returned import hold_returned
from conformance.trace import Function as Function
from conformance.trace import GraphNode as GraphNode
from conformance.trace import NDArray as NDArray
from conformance.trace import Trace as Trace
from conformance.trace import as_tuple as as_tuple
from conformance.trace import pulled
from conformance.trace import restricted as restricted

NAME = re.compile(r"\w[\w.-]*")  # of a backend: in ids, queries, files and shells it needs no quotes


class Backend(Offers, abc.ABC):
    """The adapter to one engine in one mode. Subclass `TapeBackend` or `FunctionalBackend`.

    Attributes:
        engine: the engine's distribution name, as its users install it.
        mode: how the engine is called, where there are several ("tape", "jit").
        dtypes: the names of the floating point dtypes in which it has gradients.
        repeats: the backend whose calls it makes on another device, as "mine" is for a "mine.gpu": what is known of that, is known of it.
        is_spelling: whether its ops are other functions for what another mode has, as `x.pow_(y)` for `pow(x, y)`: they alone are asked.
        spells, respells: of such a mode that has the other's ops too, those that are its own, and the capabilities whose
            methods are other functions: what needs one of these is asked as well.
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

    mode: ClassVar[str] = ""
    dtypes: ClassVar[tuple[str, ...]] = ("float64", "float32")
    no_gradient: ClassVar[Mapping[str, frozenset[str]]] = {}
    repeats: ClassVar[str] = ""
    is_spelling: ClassVar[bool] = False
    spells: ClassVar[frozenset[str]] = frozenset()
    respells: ClassVar[frozenset[Capability]] = frozenset()
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

    def __init_subclass__(cls, **named: Any) -> None:
        super().__init_subclass__(**named)
        hold_returned(cls)

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

    @property
    def asked_ops(self) -> Collection[str]:
        """The ops that questions of ops are about: all that it names, or those that it spells otherwise."""
        return self.spells or self.ops

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

    def finish(self, array: Any) -> None:
        """Compute `array`, where the engine does so later, and keep its history."""

    def forget(self) -> None:
        """Drop compiled functions, which would fill the memory in a long run; called now and then between ops."""

    def keep_compiled(self, folder: str) -> str:
        """Keep what is compiled in a folder of this engine's own, for later processes; returns why it cannot, if so."""
        return ""


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
            gradients = pulled(type(output)(cotangents) if has_several else cotangents[0])
            # Of these a tuple would be letters, keys, or the rows of one array.
            if isinstance(gradients, (str, bytes, Mapping)) or hasattr(type(gradients), "shape"):
                raise AdapterError(
                    f"the function of {type(self).__name__}.pullback() returned {type(gradients).__name__}, where a tuple of "
                    "one gradient per array is expected"
                )
            return tuple(gradients)

        return Trace(tuple(arrays), as_tuple(output), pull)
