"""Mutants that are wrong only after something that came before."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from conformance.backend import Capability, FunctionalBackend, NDArray
from conformance_backends import numpy_engine as engine
from conformance_backends.mutants.mutant import Mutant, Scoped, Walking, behaviour
from conformance_backends.numpy_backend import NumpyTape
from conformance_backends.numpy_engine.graph import Accumulation, Edge, Node
from conformance_backends.numpy_engine.tensor import Tensor

TAPE, THREADS, PULLBACKS = ("history/tape",), ("history/threads",), ("history/pullbacks",)

# ---- tapes -----------------------------------------------------------------------------------------


class Leaking(Scoped):
    """A scope that stays open if something was noted inside it."""

    @contextlib.contextmanager
    def scope(self) -> Iterator[None]:
        """The scope, which looks at what was noted."""
        with Scoped.scope(self):
            yield
        self.is_stopped = self.is_stopped or self.kept.pop("noted", False)


def cleared_in_scope(self: Any, leaf: Any) -> None:
    """Clearing takes the scope's state for its own."""
    self.kept["noted"] = self.is_stopped
    Walking.clear(self, leaf)


def detached_in_scope(self: Any, array: Any) -> Tensor:
    """So does detaching."""
    self.kept["noted"] = self.is_stopped
    return Walking.detach(self, array)


def stored_on_the_way(self: Any, edge: Edge, cotangent: Any) -> dict[Node, list[Any]]:
    """Path by path, each contribution stored as it arrives: an exception leaves those before it behind."""
    travelling = [(edge, cotangent)]
    while travelling:
        (node, index), g = travelling.pop()
        if isinstance(node, Accumulation):
            self.accumulate(node.variable, g)
            continue
        pulled = node.pullback([None] * index + [g])
        travelling += [(e, p) for e, p in zip(node.edges, pulled, strict=True) if e and p is not None]
    return {}


def third_arrival_lost(self: Any, leaf: Tensor, arrived: Any) -> None:
    """Of what arrives at a leaf, the third is lost."""
    _, count = self.kept.get(id(leaf), (leaf, 0))
    self.kept[id(leaf)] = leaf, count + 1
    if count != 2:
        Walking.accumulate(self, leaf, arrived)


def doubled_after_failure(self: Any, output: Any, gradient: Any = None, *, retain: bool = False) -> None:
    """The walk after one that raised finds what that had begun with, and counts it as well."""
    if self.kept.pop("failed", False) and gradient is not None:
        gradient = Tensor(2 * gradient.value)
    try:
        Walking.backward(self, output, gradient)
    except Exception:
        self.kept["failed"] = True
        raise


def cleared_back(self: Any, leaf: Any) -> None:
    """Clearing a leaf that is clear brings back what it had."""
    before, leaf.grad = leaf.grad, self.kept.pop(id(leaf), (leaf, None))[1]
    self.kept[id(leaf)] = leaf, before


def replacing_elsewhere(self: Any, leaf: Tensor, arrived: Any) -> None:
    """What arrives in another thread than the main one replaces what was there."""
    if threading.current_thread() is not threading.main_thread():
        leaf.grad = None
    Walking.accumulate(self, leaf, arrived)


# ---- pullbacks ---------------------------------------------------------------------------------------


class Pulling(FunctionalBackend):
    """The reference engine through its pullbacks, each call of which a mutant may override."""

    engine: ClassVar[str] = "numpy"
    mode: ClassVar[str] = "pullbacks"
    capabilities = frozenset({Capability.RETAINING, Capability.CUSTOM_RULE})
    conventions: ClassVar[Mapping[str, str]] = {**NumpyTape.conventions, "A14": "none", "B3": "functional"}
    ops = NumpyTape.ops

    def __init__(self) -> None:
        super().__init__()
        self.kept: dict[Any, Any] = {}
        self.depth = 0  # of functions that are being traced

    def version(self) -> str:
        """The reference engine's."""
        return NumpyTape.version(NumpyTape())

    def array(self, value: NDArray) -> Any:
        """A constant."""
        return Tensor(value)

    def numpy(self, array: Any) -> NDArray:
        """Its values."""
        return np.asarray(array.value)

    def custom(self, forward: Callable[..., Any], backward: Callable[..., Any]) -> Callable[..., Any]:
        """The engine's rule by hand."""
        return engine.custom(forward, backward)

    def pullback(self, function: Any, arrays: Sequence[Any]) -> tuple[Any, Callable[..., Any]]:
        """The engine's VJP, called by `pulled`."""
        self.depth += 1
        try:
            output, pull = engine.vjp(function, *arrays)
        except Exception:
            self.raised()
            raise
        finally:
            self.depth -= 1
        one: dict[str, Any] = {"calls": 0, "pull": pull, "shapes": (np.shape(output), *map(np.shape, arrays))}
        self.kept["latest"] = one

        def pulled(cotangents: Any) -> Any:
            one["calls"] += 1
            given = cotangents if isinstance(cotangents, tuple) else (cotangents,)
            return self.pulled(one, given)

        return output, pulled

    def gradient(self, function: Any, operands: Sequence[NDArray]) -> tuple[Any, ...]:
        """The engine's gradient."""
        return tuple(engine.grad(function)(*operands))

    def pulled(self, one: dict[str, Any], cotangents: tuple[Any, ...]) -> Any:
        """A call of a pullback."""
        return one["pull"](*cotangents)

    def raised(self) -> None:
        """A function raised."""


def third_call_stale(self: Any, one: Any, cotangents: Any) -> Any:
    """The third call gives what the second gave."""
    if one["calls"] != 3:
        one["before"] = one["pull"](*cotangents)
    return one.get("before") or one["pull"](*cotangents)


def latest_instead(self: Any, one: Any, cotangents: Any) -> Any:
    """There is one tape: an earlier pullback walks the latest one's, where it fits."""
    latest = self.kept["latest"]
    return (latest if latest["shapes"] == one["shapes"] else one)["pull"](*cotangents)


def halved(gradients: Sequence[Any]) -> tuple[Any, ...]:
    """Half of every gradient."""
    return tuple(None if g is None else Tensor(g.value / 2) for g in gradients)


def stopped_by_raising(self: Any) -> None:
    """Remember that a function raised."""
    self.kept["raised"] = True


def halved_once_after(self: Any, one: Any, cotangents: Any) -> Any:
    """The first call after a function raised is wrong."""
    gradients = one["pull"](*cotangents)
    return halved(gradients) if self.kept.pop("raised", False) else gradients


def halved_inside(self: Any, one: Any, cotangents: Any) -> Any:
    """A call within a function that is being traced is wrong."""
    gradients = one["pull"](*cotangents)
    return halved(gradients) if self.depth else gradients


def halved_after_refusal(self: Any, one: Any, cotangents: Any) -> Any:
    """The first call after a call that raised is wrong."""
    try:
        gradients = one["pull"](*cotangents)
    except Exception:
        self.kept["refused"] = True
        raise
    return halved(gradients) if self.kept.pop("refused", False) else gradients


def pulling(name: str, wrong: str, **methods: Any) -> Mutant:
    """A mutant of pullbacks."""
    return behaviour(name, wrong, PULLBACKS, base=Pulling, **methods)


MUTANTS: tuple[Mutant, ...] = (
    behaviour("clear-in-scope-leaks", "A scope in which a gradient is cleared stays open.",
        TAPE, base=Leaking, clear=cleared_in_scope),
    behaviour("detach-in-scope-leaks", "A scope in which a value is detached stays open.",
        TAPE, base=Leaking, detach=detached_in_scope),
    behaviour("failed-walk-stored", "What arrived before a rule raised is kept.",
        TAPE, walk=stored_on_the_way),
    behaviour("third-arrival-lost", "The third contribution that arrives at a leaf is lost.",
        TAPE, accumulate=third_arrival_lost),
    behaviour("doubled-after-failure", "The walk after one that failed counts twice.",
        TAPE, backward=doubled_after_failure),
    behaviour("cleared-back", "Clearing a gradient twice brings it back.", TAPE, clear=cleared_back),
    behaviour("replaced-elsewhere", "A walk in another thread replaces gradients.",
        THREADS, accumulate=replacing_elsewhere),
    pulling("third-pull-stale", "The third call of a pullback gives what the second gave.", pulled=third_call_stale),
    pulling("latest-pullback-instead", "An earlier pullback walks the tape of the latest one.", pulled=latest_instead),
    pulling("halved-after-raising", "The gradient after a function raised is halved.",
        raised=stopped_by_raising, pulled=halved_once_after),
    pulling("halved-within", "A pullback called within another function is halved.", pulled=halved_inside),
    pulling("halved-after-refusal", "The gradient after a call that raised is halved.", pulled=halved_after_refusal),
)  # fmt: skip

CONTROL = Mutant("control-pullbacks", "Nothing is wrong: no check may catch it.", (), Pulling, ("multiply",))
