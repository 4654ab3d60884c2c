"""Mutants whose anomaly mode misses a NaN, or reports the wrong op."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np

from conformance.backend import Function
from conformance_backends import numpy_engine as engine
from conformance_backends.mutants.mutant import Mutant, SteppedTape, behaviour
from conformance_backends.numpy_engine.graph import looks_for_nan


@contextlib.contextmanager
def nameless(self: Any) -> Iterator[None]:
    """The error names no op."""
    try:
        with engine.anomaly():
            yield
    except FloatingPointError:
        raise FloatingPointError("a gradient is NaN") from None


@contextlib.contextmanager
def names_the_op_before(self: Any) -> Iterator[None]:
    """The error names the op before the one that made the NaN."""
    try:
        with engine.anomaly():
            yield
    except FloatingPointError:
        raise FloatingPointError("the rule of multiply made a NaN") from None


@contextlib.contextmanager
def always_raising(self: Any) -> Iterator[None]:
    """The scope ends with an error, NaN or not."""
    yield
    raise FloatingPointError("the rule of sqrt, or of log, made a NaN")


@contextlib.contextmanager
def never_ending(self: Any) -> Iterator[None]:
    """Anomaly mode stays on after the scope."""
    self.kept["anomaly"] = True
    with engine.anomaly():
        yield


def looking(self: Any, output: Any, gradient: Any = None, *, retain: bool = False) -> None:
    """A backward pass in anomaly mode, if it was ever switched on."""
    with engine.anomaly() if self.kept.get("anomaly") else contextlib.nullcontext():
        SteppedTape.backward(self, output, gradient)


NAMED = "contract/C8/named"
QUIET = "contract/C8/quiet"


@contextlib.contextmanager
def ending_where_nothing_is_raised(self: Any) -> Iterator[None]:
    """Anomaly mode stays on where the scope is left by an exception."""
    self.kept["anomaly"] = True
    with engine.anomaly():
        yield
    self.kept["anomaly"] = False


def of_the_main_thread(self: Any) -> Any:
    """Anomaly mode is that of the main thread."""
    is_main = threading.current_thread() is threading.main_thread()
    return engine.anomaly() if is_main else contextlib.nullcontext()


@contextlib.contextmanager
def ended_by_the_inner_one(self: Any) -> Iterator[None]:
    """Anomaly mode is off after any scope."""
    self.kept["anomaly"] = True
    try:
        yield
    finally:
        self.kept["anomaly"] = False


@contextlib.contextmanager
def products_unnamed(self: Any) -> Iterator[None]:
    """A NaN that the rule of a product makes is seen in the op before it."""
    try:
        with engine.anomaly():
            yield
    except FloatingPointError as error:
        if "rule of multiply" in str(error):
            raise FloatingPointError("the cotangent of what tanh computed is NaN") from None
        raise


@contextlib.contextmanager
def infinities_refused(self: Any) -> Iterator[None]:
    """Anomaly mode looks for what is not finite."""
    self.kept["finite"] = True
    try:
        with engine.anomaly():
            yield
    finally:
        self.kept["finite"] = False


def looking_for_infinities(self: Any, leaf: Any, arrived: Any) -> None:
    """A leaf's gradient that is infinite is an error in the scope."""
    if self.kept.get("finite") and np.any(np.isinf(arrived)):
        raise FloatingPointError("a gradient is not finite")
    SteppedTape.accumulate(self, leaf, arrived)


def looking_at_the_sum(self: Any, leaf: Any, arrived: Any) -> None:
    """A leaf's gradient whose sum is NaN is an error in the scope: infinities of both signs add up to it."""
    if self.kept.get("finite") and np.isnan(np.sum(arrived)):
        raise FloatingPointError("a gradient is NaN")
    SteppedTape.accumulate(self, leaf, arrived)


def not_where_recorded(self: Any, function: Any, arrays: Any, cotangents: Any) -> Any:
    """A backward pass that is recorded does not look for NaN."""
    with _looking_for_none():
        return SteppedTape.nested_vjp(self, function, arrays, cotangents)


def not_in_checkpoints(self: Any, function: Function) -> Function:
    """What a checkpoint recomputes is not looked at."""
    right = engine.checkpoint(function)

    def operation(*operands: Any) -> Any:
        output = right(*operands)
        if output.node is not None:
            pulled = output.node.pullback

            def pullback(cotangents: Any) -> Any:
                with _looking_for_none():
                    return pulled(cotangents)

            output.node.pullback = pullback
        return output

    return operation


@contextlib.contextmanager
def _looking_for_none() -> Iterator[None]:
    before = looks_for_nan.set(False)
    try:
        yield
    finally:
        looks_for_nan.reset(before)


def custom_rules_unwatched(self: Any, forward: Any, backward: Any) -> Any:
    """What custom rules return is not looked at."""

    def unwatched(g: Any, *xs: Any) -> Any:
        return [p if p is None else np.nan_to_num(p) for p in backward(g, *xs)]

    return engine.custom(forward, unwatched)


MUTANTS: tuple[Mutant, ...] = (
    behaviour("custom-rules-unwatched", "A NaN that a custom rule makes is no error in an anomaly scope.",
        ("contract/C8/custom-rule",), custom=custom_rules_unwatched),
    behaviour("anomaly-unseen", "A NaN in the backward pass is not detected.",
        (NAMED, "capability/anomaly"), anomaly=lambda self: contextlib.nullcontext()),
    behaviour("anomaly-nameless", "The error reports a NaN without the op.", (NAMED,), anomaly=nameless),
    behaviour("anomaly-names-other-op", "The error names the op before the one that made the NaN.",
        (NAMED,), anomaly=names_the_op_before),
    behaviour("anomaly-always", "Anomaly mode always reports a NaN.", (QUIET,), anomaly=always_raising),
    behaviour("anomaly-never-ends", "Anomaly mode stays on after its scope.",
        (QUIET,), anomaly=never_ending, backward=looking),
    behaviour("anomaly-stays-after-an-error", "Anomaly mode stays on where its scope is left by an exception.",
        (QUIET,), anomaly=ending_where_nothing_is_raised, backward=looking),
    behaviour("anomaly-at-infinity", "Anomaly mode reports an infinity like a NaN.",
        (QUIET,), anomaly=infinities_refused, accumulate=looking_for_infinities),
    behaviour("anomaly-by-the-sum", "Anomaly mode looks for a NaN in the sum of a gradient's entries.",
        (QUIET,), anomaly=infinities_refused, accumulate=looking_at_the_sum),
    behaviour("anomaly-of-the-main-thread", "In another thread than the main one anomaly mode detects nothing.",
        (NAMED,), anomaly=of_the_main_thread),
    behaviour("anomaly-ends-with-an-inner-one", "An inner anomaly scope ends the outer one.",
        ("contract/C8/nested",), anomaly=ended_by_the_inner_one, backward=looking),
    behaviour("anomaly-unseen-in-products", "A NaN that the rule of a product makes is reported for the op before it.",
        ("contract/C8/operands",), anomaly=products_unnamed),
    behaviour("anomaly-not-where-recorded", "In a backward pass that is recorded a NaN is not detected.",
        ("contract/C8/recorded",), nested_vjp=not_where_recorded),
    behaviour("anomaly-not-in-checkpoints", "A NaN in what a checkpoint recomputes is the checkpoint's.",
        ("contract/C8/recorded",), checkpoint=not_in_checkpoints),
)  # fmt: skip
