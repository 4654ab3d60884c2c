"""Mutants that are wrong only after certain earlier calls."""

from __future__ import annotations

import contextlib
import threading
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from conformance.backend import Capability, FunctionalBackend, NDArray
from conformance_backends import numpy_engine as engine
from conformance_backends.mutants.mutant import (
    AdapterScopedNoGrad,
    LeafCotangents,
    Mutant,
    SteppedTape,
    behaviour,
)
from conformance_backends.numpy_backend import NumpyTape
from conformance_backends.numpy_engine.graph import Accumulation, Edge, is_recording, set_recording
from conformance_backends.numpy_engine.tensor import Tensor, detach


class LeakingScope(AdapterScopedNoGrad):
    """A no_grad scope that stays open if something was noted inside it."""

    @contextlib.contextmanager
    def scope(self) -> Iterator[None]:
        """The scope, which stays open if something was noted."""
        with AdapterScopedNoGrad.scope(self):
            yield
        self.is_stopped = self.is_stopped or self.kept.pop("noted", False)


def cleared_in_scope(self: Any, leaf: Any) -> None:
    """Clearing notes whether a scope is open."""
    self.kept["noted"] = self.is_stopped
    SteppedTape.clear(self, leaf)


def detached_in_scope(self: Any, array: Any) -> Tensor:
    """Detaching notes whether a scope is open."""
    self.kept["noted"] = self.is_stopped
    return SteppedTape.detach(self, array)


def stored_on_arrival(self: Any, edge: Edge, cotangent: Any) -> LeafCotangents:
    """Path by path, each contribution is stored when it arrives: after an exception the earlier ones remain."""
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
    """The third contribution that arrives at a leaf is lost."""
    _, count = self.kept.get(id(leaf), (leaf, 0))
    self.kept[id(leaf)] = leaf, count + 1
    if count != 2:
        SteppedTape.accumulate(self, leaf, arrived)


def doubled_after_failure(self: Any, output: Any, gradient: Any = None, *, retain: bool = False) -> None:
    """The backward pass after a failed one starts from twice its seed."""
    if self.kept.pop("failed", False) and gradient is not None:
        gradient = Tensor(2 * gradient.value)
    try:
        SteppedTape.backward(self, output, gradient)
    except Exception:
        self.kept["failed"] = True
        raise


def cleared_back(self: Any, leaf: Any) -> None:
    """Clearing a leaf twice restores its gradient."""
    before, leaf.grad = leaf.grad, self.kept.pop(id(leaf), (leaf, None))[1]
    self.kept[id(leaf)] = leaf, before


def replacing_elsewhere(self: Any, leaf: Tensor, arrived: Any) -> None:
    """A gradient from another thread than the main one replaces the stored one."""
    if threading.current_thread() is not threading.main_thread():
        leaf.grad = None
    SteppedTape.accumulate(self, leaf, arrived)


class Record(dict[str, Any]):
    """A dictionary that can be referenced weakly."""


class Pullbacks(FunctionalBackend):
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
        """The engine's custom rule."""
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
        one = Record({"calls": 0, "pull": pull, "shapes": (np.shape(output), *map(np.shape, arrays))})
        self.kept["latest"] = weakref.ref(one)  # weak: an engine that is right keeps no graph

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
    """The third call returns the result of the second."""
    if one["calls"] != 3:
        one["before"] = one["pull"](*cotangents)
    return one.get("before") or one["pull"](*cotangents)


def latest_instead(self: Any, one: Any, cotangents: Any) -> Any:
    """There is one tape: an earlier pullback uses the latest one's, where the shapes fit."""
    latest = self.kept["latest"]() or one
    return (latest if latest["shapes"] == one["shapes"] else one)["pull"](*cotangents)


def halved(gradients: Sequence[Any]) -> tuple[Any, ...]:
    """Half of every gradient."""
    return tuple(None if g is None else Tensor(g.value / 2) for g in gradients)


def stopped_by_raising(self: Any) -> None:
    """Note that a function raised."""
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


def pullback_mutant(name: str, wrong: str, **methods: Any) -> Mutant:
    """A mutant of pullbacks."""
    return behaviour(name, wrong, PULLBACKS, base=Pullbacks, **methods)


def detached_in_no_grad(self: Any, array: Any, index: Any, value: Any) -> None:
    """A write in a no_grad scope detaches the value from its history."""
    array[index] = value
    if not is_recording() and not array.is_leaf:
        array.edge = None


def recorded_in_no_grad(self: Any, array: Any, index: Any, value: Any) -> None:
    """A write into a value that is no leaf is recorded, also in a no_grad scope."""
    with set_recording(is_recording() or not array.is_leaf):
        array[index] = value


def cleared_in_no_grad(self: Any, array: Any, index: Any, value: Any) -> None:
    """A leaf that is written in a no_grad scope loses its gradient."""
    array[index] = value
    if not is_recording():
        array.grad = None


def written_and_refused(self: Any, array: Any, index: Any, value: Any) -> None:
    """A write into a leaf is refused after its memory has changed."""
    if is_recording() and array.is_leaf and array.requires_grad:
        array.value = array.value.copy()
        array.value[index] = detach(value)
    array[index] = value


def constants_stay(self: Any, array: Any, index: Any, value: Any) -> None:
    """A constant stays a constant, whatever is written into it."""
    array[index] = value if array.requires_grad else detach(value)


def noted_in_backward(self: Any, output: Any, gradient: Any = None, *, retain: bool = False) -> None:
    """Note the value whose backward pass ran."""
    self.kept[id(output)] = output
    SteppedTape.backward(self, output, gradient)


def unrecorded_after_backward(self: Any, array: Any, index: Any, value: Any) -> None:
    """A write into a value whose backward pass has run is recorded as that of a constant."""
    array[index] = detach(value) if id(array) in self.kept else value


PULLBACKS = ("history/pullbacks",)
TAPE = ("history/tape",)
THREADS = ("history/threads",)
HISTORY = ("history/tape",)

MUTANTS: tuple[Mutant, ...] = (
    behaviour("clear-in-scope-leaks", "A scope in which a gradient is cleared stays open.",
        TAPE, base=LeakingScope, clear=cleared_in_scope),
    behaviour("detach-in-scope-leaks", "A scope in which a value is detached stays open.",
        TAPE, base=LeakingScope, detach=detached_in_scope),
    behaviour("failed-backward-stored", "Contributions that arrived before a rule raised stay stored.",
        TAPE, traverse=stored_on_arrival),
    behaviour("third-arrival-lost", "The third contribution that arrives at a leaf is lost.",
        TAPE, accumulate=third_arrival_lost),
    behaviour("doubled-after-failure", "The backward pass after a failed one counts twice.",
        TAPE, backward=doubled_after_failure),
    behaviour("cleared-twice-restores", "Clearing a gradient twice restores it.", TAPE, clear=cleared_back),
    behaviour("replaced-in-other-thread", "A backward pass in another thread replaces gradients.",
        THREADS, accumulate=replacing_elsewhere),
    pullback_mutant("third-pull-stale", "The third call of a pullback returns the result of the second.", pulled=third_call_stale),
    pullback_mutant("latest-pullback-instead", "An earlier pullback uses the tape of the latest one.", pulled=latest_instead),
    pullback_mutant("halved-after-raising", "The gradient after a function raised is halved.",
        raised=stopped_by_raising, pulled=halved_once_after),
    pullback_mutant("halved-within", "A pullback called within another function is halved.", pulled=halved_inside),
    pullback_mutant("halved-after-refusal", "The gradient after a call that raised is halved.", pulled=halved_after_refusal),
    behaviour("write-in-no-grad-detaches", "A write in a no_grad scope detaches the value from its history.",
        HISTORY, assign=detached_in_no_grad),
    behaviour("write-in-no-grad-recorded", "A write in a no_grad scope is recorded.",
        HISTORY, assign=recorded_in_no_grad),
    behaviour("leaf-written-in-no-grad-cleared", "A leaf written in a no_grad scope loses its gradient.",
        HISTORY, assign=cleared_in_no_grad),
    behaviour("leaf-write-refused-late", "A write into a leaf is refused after it has been done.",
        HISTORY, assign=written_and_refused),
    behaviour("written-constant-stays", "A constant into which a recorded value is written stays a constant.",
        (*HISTORY, "contract/D11/constant"), assign=constants_stay),
    behaviour("declares-refusing-accepts", "The adapter declares refusal of a write into a constant, and it is accepted.",
        (*HISTORY, "contract/D11/constant"), conventions={**SteppedTape.conventions, "D11": "refused"}),
    behaviour("write-after-backward-unrecorded", "What is written into a value after its backward pass receives no gradient.",
        HISTORY, backward=noted_in_backward, assign=unrecorded_after_backward),
)  # fmt: skip
