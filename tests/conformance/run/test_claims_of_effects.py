"""Slips in members that a plain gradient does not show are named by a claim of smoke, and engines that differ are not."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from typing import Any, ClassVar

import numpy as np
import pytest
from conformance_backends.numpy_backend import NumpyTape
from conformance_backends.numpy_engine import Tensor

from conformance.backend import Backend, GraphNode
from conformance.run.claims import effects, errors

from .claims_asked import answer_of


class ClearsWhatItReads(NumpyTape):
    """A gradient is gone once it was read."""

    def grad(self, leaf: Any) -> Any:
        found = super().grad(leaf)
        self.clear(leaf)
        return found


class DetachesToLeaves(NumpyTape):
    """What is detached may be differentiated anew."""

    def detach(self, array: Any) -> Any:
        return self.leaf(self.numpy(array))


class IgnoresRules(NumpyTape):
    """The engine differentiates the function itself."""

    def custom(self, forward: Any, backward: Any) -> Any:
        return forward


class RulesOfCopies(NumpyTape):
    """A rule is given the numbers of its cotangent."""

    def custom(self, forward: Any, backward: Any) -> Any:
        return super().custom(forward, lambda g, *xs: backward(Tensor(np.array(self.numpy(g))), *xs))


class TangentsOfCopies(NumpyTape):
    """Inner tangents are numbers."""

    def nested_jvp(self, function: Any, arrays: Any, tangents: Any) -> Any:
        return tuple(Tensor(np.array(self.numpy(t))) for t in super().nested_jvp(function, arrays, tangents))


class CheckpointsNothing(NumpyTape):
    """A checkpoint that keeps all."""

    def checkpoint(self, function: Any) -> Any:
        return function


class RemovesNothing(NumpyTape):
    """A hook stays."""

    def hook(self, array: Any, seen: Any) -> Any:
        super().hook(array, seen)
        return lambda: None


class OneStepMore(NumpyTape):
    """The condition is asked afterwards."""

    def while_loop(self, condition: Any, step: Any, carry: Any) -> Any:
        return step(super().while_loop(condition, step, carry))


class DropsAuxiliary(NumpyTape):
    """What stands beside the value is forgotten."""

    def value_and_gradient(self, function: Any, arrays: Any, wrt: Any, *, auxiliary: bool = False) -> Any:
        return *super().value_and_gradient(function, arrays, wrt, auxiliary=auxiliary)[:2], None


class InputsReversed(NumpyTape):
    """The edges of a node stand in reverse."""

    def graph(self, output: Any) -> GraphNode:
        node = super().graph(output)
        return dataclasses.replace(node, inputs=node.inputs[::-1])


class LeavesUnnamed(NumpyTape):
    """A node is said to have a variable, which is not handed on."""

    def graph(self, output: Any) -> GraphNode:
        node = super().graph(output)
        bare = (i and dataclasses.replace(i, variable=None) for i in node.inputs)
        return dataclasses.replace(node, inputs=tuple(bare))


class NoAnomaly(NumpyTape):
    """A scope that does nothing."""

    def anomaly(self) -> AbstractContextManager[Any]:
        return contextlib.nullcontext()


class SwallowsErrors(NumpyTape):
    """Whatever is raised in a backward pass is lost."""

    def backward(self, output: Any, gradient: Any = None, *, retain: bool = False) -> None:
        with contextlib.suppress(Exception):
            super().backward(output, gradient, retain=retain)


class OnePositionBare(NumpyTape):
    """A tuple of one position is taken for the position."""

    def value_and_gradient(self, function: Any, arrays: Any, wrt: Any, *, auxiliary: bool = False) -> Any:
        value, found, beside = super().value_and_gradient(function, arrays, wrt, auxiliary=auxiliary)
        return value, found[0] if isinstance(wrt, tuple) and len(wrt) == 1 else found, beside


SLIPS: list[tuple[type[Backend], str, str]] = [
    (ClearsWhatItReads, "a gradient can be read twice", "that grad() reads the second time"),
    (DetachesToLeaves, "what is detached gets no gradient", "what detach() returned got a gradient"),
    (IgnoresRules, "a custom rule is what is called", "custom() ignores `backward`"),
    (RulesOfCopies, "a custom rule is differentiated by its cotangent", "by a custom rule, by the cotangent"),
    (TangentsOfCopies, "an inner tangent can be differentiated", "x times the tangent of x * x, by x"),
    (CheckpointsNothing, "a checkpointed function is called again", "is not called again for its gradient"),
    (RemovesNothing, "a hook that was removed is not called", "with a hook on x * x that was removed"),
    (OneStepMore, "a loop ends where its condition does not hold", "no steps, got"),
    (DropsAuxiliary, "auxiliary results come back", "and None came back"),
    (InputsReversed, "a graph's leaves are the operands, in order", "are those of w and x, in this order"),
    (LeavesUnnamed, "a graph's leaves are the operands, in order", "its `variable` is None"),
    (NoAnomaly, "a NaN in an anomaly scope raises", "made a NaN in the anomaly scope, and no error"),
    (SwallowsErrors, "an error in a backward pass reaches the caller", "does it catch exceptions?"),
    (
        OnePositionBare,
        "gradients beside a value are in the order of the positions",
        "a tuple of one position gives a tuple of one gradient, and Tensor came",
    ),
]


@pytest.mark.parametrize(("adapter", "claim", "said"), SLIPS, ids=[slip.__name__ for slip, *_ in SLIPS])
def test_a_slip_contradicts_its_claim(adapter: Callable[[], Backend], claim: str, said: str) -> None:
    assert said in answer_of(adapter(), claim)
    assert answer_of(NumpyTape(), claim) == ""


def test_every_claim_has_a_slip() -> None:
    claims = {claim for kind in (effects, errors) for claim, _, _ in kind.claims_of(NumpyTape())}
    assert claims <= {claim for _, claim, _ in SLIPS}


class StoresOfAll(DetachesToLeaves):
    """Its engine marks no constants."""

    conventions: ClassVar[Mapping[str, str]] = {**NumpyTape.conventions, "C4": "stored"}


class Replays(CheckpointsNothing):
    """Its engine replays what it traced."""

    conventions: ClassVar[Mapping[str, str]] = {**NumpyTape.conventions, "C6": "replays"}


class NeverCalls(SwallowsErrors):
    """A rule that is not called raises nothing."""

    def custom(self, forward: Any, backward: Any) -> Any:
        return forward


class NoVariables(LeavesUnnamed):
    """Its engine's nodes have no variables."""

    def graph(self, output: Any) -> GraphNode:
        node = super().graph(output)
        bare = (i and dataclasses.replace(i, names_variable=False) for i in node.inputs)
        return dataclasses.replace(node, inputs=tuple(bare))


class RefusesSecond(NumpyTape):
    """Its engine differentiates neither rules nor tangents."""

    def custom(self, forward: Any, backward: Any) -> Any:
        rule = super().custom(forward, backward)

        def once(*operands: Any) -> Any:
            return rule(*operands)

        return once

    def nested_vjp(self, function: Any, arrays: Any, cotangents: Any) -> Any:
        if getattr(function, "__name__", "") == "once":
            raise RuntimeError("the rule is differentiated once")
        return super().nested_vjp(function, arrays, cotangents)

    def nested_jvp(self, function: Any, arrays: Any, tangents: Any) -> Any:
        raise RuntimeError("no tangents of tangents")


@pytest.mark.parametrize(
    ("adapter", "claim"),
    [
        (StoresOfAll, "what is detached gets no gradient"),
        (Replays, "a checkpointed function is called again"),
        (NeverCalls, "an error in a backward pass reaches the caller"),
        (NoVariables, "a graph's leaves are the operands, in order"),
        (RefusesSecond, "a custom rule is differentiated by its cotangent"),
        (RefusesSecond, "an inner tangent can be differentiated"),
    ],
)
def test_an_engine_that_differs_is_no_slip(adapter: Callable[[], Backend], claim: str) -> None:
    assert answer_of(adapter(), claim) == ""
