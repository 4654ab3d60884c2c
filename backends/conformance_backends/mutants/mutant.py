"""What a mutant is, with the parts of the reference engine that it may override.

A mutant changes a copy of a row, or overrides one method of an adapter made for it. Nothing outside
the backend that `make` returns is changed, so that no error remains in the process.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from conformance.backend import Backend, Capability, Function
from conformance.ops import ALL_OPS
from conformance_backends import numpy_engine as engine
from conformance_backends.numpy_backend import NumpyTape
from conformance_backends.numpy_engine.graph import Accumulation, Edge, Node, backward_pass
from conformance_backends.numpy_engine.seeds import seed
from conformance_backends.numpy_engine.tensor import Tensor, edge_of

LeafCotangents = dict[Node, list[Any]]  # by accumulation node, the cotangents of its outputs
Wrong = Callable[..., Any]  # wrong(right, index, g, z, *operands, **parameters) for the rule right


@dataclass(frozen=True)
class Mutant:
    """An engine that is wrong in exactly one way.

    Attributes:
        name: a few words that describe the error.
        wrong: what is wrong, in a plain sentence.
        kills: the keys of the checks that must catch it; a control, wrong in nothing, has none.
        make: makes a new backend; a mutant with state starts from its initial state.
        ops: the ops that are checked.
        varies: of a control, in what it differs from the reference engine.
    """

    name: str
    wrong: str
    kills: tuple[str, ...]
    make: Callable[[], Backend]
    ops: tuple[str, ...]
    varies: str = ""


# ---- one row is wrong --------------------------------------------------------------------------


def rule(name: str, wrong: str, kills: tuple[str, ...], ops: tuple[str, ...], altered: Wrong) -> Mutant:
    """A mutant whose rule for some ops is `altered(right, index, g, z, *operands, **parameters)`."""
    return stateful_rule(name, wrong, kills, ops, lambda: altered)


def stateful_rule(
    name: str, wrong: str, kills: tuple[str, ...], ops: tuple[str, ...], altered: Callable[[], Wrong]
) -> Mutant:
    """The same for a rule with state: `altered()` makes a new one."""

    def make() -> Backend:
        return with_ops({op: altered_rule(op, altered()) for op in ops})

    return Mutant(name, wrong, kills, make, ops)


def altered_rule(op: str, altered: Wrong) -> Function:
    """The op with `altered` around its rule."""
    right = ALL_OPS[op]

    def wrong(index: int, g: Any, z: Any, /, *operands: Any, **parameters: Any) -> Any:
        return altered(right.rule, index, g, z, *operands, **parameters)

    return lambda *operands, **parameters: engine.apply(replace(right, rule=wrong), operands, parameters)


def value(name: str, wrong: str, kills: tuple[str, ...], ops: tuple[str, ...], altered: Wrong) -> Mutant:
    """A mutant whose value for some ops is `altered(right, *operands, **parameters)`."""

    def changed(op: str) -> Function:
        right = ALL_OPS[op]
        reference = lambda *operands, **parameters: altered(right.reference, *operands, **parameters)  # noqa: E731
        return lambda *operands, **parameters: engine.apply(
            replace(right, reference=reference), operands, parameters
        )

    return Mutant(name, wrong, kills, lambda: with_ops({op: changed(op) for op in ops}), ops)


def with_ops(changed: Mapping[str, Function], base: type[NumpyTape] = NumpyTape) -> Backend:
    """The reference engine with some ops replaced."""
    backend = base()
    backend.ops = {**base.ops, **changed}  # type: ignore[misc]  # this backend's alone, not the class's
    return backend


# ---- the engine around the rows is wrong ---------------------------------------------------------


class SteppedTape(NumpyTape):
    """The reference engine with a backward pass in steps, each of which a mutant may override."""

    def __init__(self) -> None:
        super().__init__()
        self.kept: dict[Any, Any] = {}  # state of a mutant between calls

    def seed(self, output: Tensor, gradient: Any) -> Any:
        """The cotangent to start from."""
        return seed(output, gradient).value

    def traverse(self, edge: Edge, cotangent: Any) -> LeafCotangents:
        """Propagate it to the leaves."""
        return backward_pass([(edge, cotangent)])

    def accumulate(self, leaf: Tensor, arrived: Any) -> None:
        """Add the cotangent that arrived at a leaf to its gradient."""
        fresh = np.array(arrived, dtype=leaf.dtype)
        leaf.grad = fresh if leaf.grad is None else np.asarray(leaf.grad + fresh)

    def backward(self, output: Any, gradient: Any = None, *, retain: bool = False) -> None:
        """Seed, propagate, accumulate."""
        edge = edge_of(output)
        if edge is None:
            raise RuntimeError("nothing behind this tensor requires a gradient")
        with engine.no_grad():
            reached = self.traverse(edge, self.seed(output, gradient))
        for node, cotangents in reached.items():
            # A leaf that an inner derivative made, and that is gone, has no gradient to add to.
            leaf = node.variable if isinstance(node, Accumulation) else None
            if leaf is not None and cotangents and cotangents[0] is not None:
                self.accumulate(leaf, cotangents[0])


class WithTransforms(SteppedTape):
    """The reference engine with a compiler that does nothing, and a loop for a map."""

    capabilities = SteppedTape.capabilities | {Capability.COMPILING, Capability.VECTORIZING}

    def compiled(self, function: Function) -> Function:
        """The function itself."""
        return function

    def vectorized(self, function: Function) -> Function:
        """The function row by row, its results stacked."""
        return self.looped(function)

    def looped(self, function: Function, order: slice = slice(None)) -> Function:
        """The rows in some order, each through the function."""
        row, stack = self.ops["getitem"], self.ops["stack"]

        def mapped(*operands: Any) -> Any:
            if len({len(x) for x in operands}) > 1:
                raise ValueError("the operands have different numbers of rows")
            numbers = range(len(operands[0]))[order]
            results = [function(*(row(x, index=(n,)) for x in operands)) for n in numbers]
            if isinstance(results[0], tuple):
                return tuple(stack(*parts, axis=0) for parts in zip(*results, strict=True))
            return stack(*results, axis=0)

        return mapped


class AdapterScopedNoGrad(SteppedTape):
    """The reference engine with a no_grad scope that the adapter implements."""

    def __init__(self) -> None:
        super().__init__()
        self.is_stopped = False
        self.ops = {name: self._in_scope(op) for name, op in type(self).ops.items()}  # type: ignore[misc]

    def _in_scope(self, op: Function) -> Function:
        def call(*operands: Any, **parameters: Any) -> Any:
            with engine.no_grad() if self.is_stopped else contextlib.nullcontext():
                return op(*operands, **parameters)

        return call

    def no_grad(self) -> AbstractContextManager[Any]:
        """Stop recording until the block ends; unlike the engine's own scope, for every thread."""
        return self.scope()

    @contextlib.contextmanager
    def scope(self) -> Iterator[None]:
        """The scope that no_grad() opens."""
        before, self.is_stopped = self.is_stopped, True
        try:
            yield
        finally:
            self.is_stopped = before


class NotingForward(SteppedTape):
    """The reference adapter, which knows when forward mode is at work."""

    def jvp(self, function: Any, operands: Any, tangents: Any) -> Any:
        """The engine's forward mode; meanwhile `kept["forward"]` is true."""
        self.kept["forward"] = True
        try:
            return super().jvp(function, operands, tangents)
        finally:
            self.kept["forward"] = False


def behaviour(
    name: str,
    wrong: str,
    kills: tuple[str, ...],
    *,
    ops: tuple[str, ...] = ("multiply",),
    base: type[Backend] = SteppedTape,
    **methods: Any,
) -> Mutant:
    """A mutant that overrides some attributes of the adapter."""
    unknown = [method for method in methods if not hasattr(base, method)]
    if unknown:
        raise AttributeError(f"the mutant {name} overrides {unknown}, which {base.__name__} does not have")
    made = type(base.__name__, (base,), {"__module__": __name__, **methods})
    return Mutant(name, wrong, kills, made, ops)
