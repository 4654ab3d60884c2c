"""Mutants that take what a hook returns wrongly."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from conformance_backends import numpy_engine as engine
from conformance_backends.mutants.mutant import Mutant, SteppedTape, behaviour
from conformance_backends.numpy_engine.tensor import edge_of

Seen = Callable[[Any], Any]


def returning(alter: Callable[[Any, Any], Any]) -> Any:
    """A `hook` whose hooks return `alter(cotangent, replacement)`, where they return anything."""

    def hook(self: Any, array: Any, seen: Seen) -> Callable[[], None]:
        def altered(cotangent: Any) -> Any:
            replacement = seen(cotangent)
            return None if replacement is None else alter(cotangent, replacement)

        return engine.hook(array, altered)

    return hook


def zeros_are_none(cotangent: Any, replacement: Any) -> Any:
    """Zeros count as nothing returned."""
    return replacement if np.any(engine.detach(replacement)) else None


def read_in_order_of_memory(cotangent: Any, replacement: Any) -> Any:
    """Columns are read as if they were rows."""
    value = np.asarray(engine.detach(replacement))
    return replacement if value.flags.c_contiguous else value.ravel("K").reshape(value.shape)


def itself_is_a_sum(cotangent: Any, replacement: Any) -> Any:
    """A cotangent that is returned as it came is added to itself."""
    return replacement + cotangent if replacement is cotangent else replacement


def kept_in_its_dtype(self: Any, leaf: Any, arrived: Any) -> None:
    """A gradient has the dtype of the cotangent that arrived."""
    SteppedTape.accumulate(self, leaf, arrived)
    leaf.grad = leaf.grad.astype(np.asarray(arrived).dtype)


def none_on_variables(
    self: Any, function: Callable[..., Any], arrays: Sequence[Any], cotangents: Sequence[Any]
) -> Any:
    """Hooks on the variables at which a functional gradient ends are not called."""

    def without(*variables: Any) -> Any:
        output = function(*variables)
        for x in variables:
            if (edge := edge_of(x)) is not None:
                edge[0].hooks = ()
        return output

    return SteppedTape.nested_vjp(self, without, arrays, cotangents)


def called_behind_the_variables(
    self: Any, function: Callable[..., Any], arrays: Sequence[Any], cotangents: Sequence[Any]
) -> Any:
    """A functional gradient by a result calls the hooks of what that is computed from, with zeros."""
    for edge in filter(None, map(edge_of, arrays)):
        for node in edge[0].inputs:
            for _, show in node.hooks if node is not None else ():
                show(engine.Tensor(np.zeros(())))
    return SteppedTape.nested_vjp(self, function, arrays, cotangents)


RETURNED = ("contract/C9/returned",)


def called_once_for_each_hook(self: Any, array: Any, seen: Seen) -> Callable[[], None]:
    """A hook is called in the first backward pass alone."""
    calls: list[Any] = []

    def once(cotangent: Any) -> Any:
        calls.append(cotangent)
        return seen(cotangent) if len(calls) == 1 else None

    return engine.hook(array, once)


def errors_swallowed(self: Any, array: Any, seen: Seen) -> Callable[[], None]:
    """A hook that raises has returned nothing."""

    def guarded(cotangent: Any) -> Any:
        try:
            return seen(cotangent)
        except Exception:
            return None

    return engine.hook(array, guarded)


def called_for_the_node(self: Any, array: Any, seen: Seen) -> Callable[[], None]:
    """A hook on one of several outputs is called with the cotangent of the first."""
    remove = engine.hook(array, seen)
    if (edge := edge_of(array)) is not None:
        node, index = edge
        node.hooks = tuple((0 if at == index else at, show) for at, show in node.hooks)
    return remove


def first_missing_ends_it(self: Any, array: Any, seen: Seen) -> Callable[[], None]:
    """A hook on one of several outputs is called if those before it that have hooks received a cotangent."""
    edge = edge_of(array)
    earlier = [hook for hook in edge[0].hooks if hook[0] < edge[1]] if edge else []
    if not edge or not earlier:
        return engine.hook(array, seen)
    called: list[Any] = []
    for at, _ in earlier:
        edge[0].hooks = ((at, called.append), *edge[0].hooks)

    def guarded(cotangent: Any) -> Any:
        is_reached = len(called) == len(earlier)
        called.clear()
        return seen(cotangent) if is_reached else None

    return engine.hook(array, guarded)


class PlannedAtTheFirstPass(SteppedTape):
    """The reference engine, which calls no hook that a result gets after the first pass through it."""

    def backward(self, output: Any, gradient: Any = None, *, retain: bool = False) -> None:
        """The engine's pass, whose nodes are noted."""
        super().backward(output, gradient, retain=retain)
        edge = edge_of(output)
        waiting = [edge[0]] if edge else []
        while waiting:
            node = waiting.pop()
            self.kept[node] = True
            waiting += [before for before in node.inputs if before is not None and before not in self.kept]

    def hook(self, array: Any, seen: Seen) -> Callable[[], None]:
        """The engine's hook, of what no pass has been through."""
        edge = edge_of(array)
        return (lambda: None) if edge and edge[0] in self.kept else engine.hook(array, seen)


MUTANTS: tuple[Mutant, ...] = (
    behaviour("hooks-of-the-first-plan", "A hook that a result gets after a pass through it is not called.",
        ("contract/C9/late-hook",), base=PlannedAtTheFirstPass),
    behaviour("hook-returned-zeros-ignored", "Zeros that a hook returns count as nothing returned.",
        RETURNED, hook=returning(zeros_are_none)),
    behaviour("hook-returned-columns-as-rows", "What a hook returns is read in the order of its memory.",
        RETURNED, hook=returning(read_in_order_of_memory)),
    behaviour("hook-returned-itself-twice", "A cotangent that a hook returns as it came counts twice.",
        RETURNED, hook=returning(itself_is_a_sum)),
    behaviour("hook-returned-dtype-kept", "A gradient has the dtype of what a hook on the leaf returned.",
        ("contract/C9/returned-dtype",), accumulate=kept_in_its_dtype),
    behaviour("hook-on-a-variable-ignored", "A hook on a variable at which a functional gradient ends is not called.",
        ("contract/C9/functional",), nested_vjp=none_on_variables),
    behaviour("hook-behind-the-variables", "A functional gradient by a result calls the hooks of what that is computed from.",
        ("contract/C9/behind",), nested_vjp=called_behind_the_variables),
    behaviour("hook-in-the-first-pass", "A hook is called in the first backward pass of its graph alone.",
        ("contract/C9/each-pass",), hook=called_once_for_each_hook),
    behaviour("hook-of-a-node", "A hook on one of an op's outputs is called with the cotangent of the first.",
        ("contract/C9/unused",), hook=called_for_the_node),
    behaviour("hook-behind-a-missing-one", "Where an output with a hook has no cotangent, the hooks of the outputs behind it are not called.",
        ("contract/C9/beside-unused",), hook=first_missing_ends_it),
    behaviour("hook-errors-swallowed", "What a hook raises does not reach the caller.",
        ("contract/C9/raising",), hook=errors_swallowed),
)  # fmt: skip
