"""The subject of generated mutants: the reference engine, open to changes."""

from __future__ import annotations

import pkgutil
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from conformance.backend import Backend, Function
from conformance.ops import ALL_OPS
from conformance_backends import numpy_engine as engine
from conformance_backends.generated.equivalent import EQUIVALENT
from conformance_backends.generated.guarded_tape import (
    FAULTS,
    OF_LEAVES,
    OF_SCOPES,
    GuardedTape,
    Holds,
    nodes_behind,
)
from conformance_backends.generated.modes import WithModes, modes_at_work
from conformance_backends.mutants.mutant import WithTransforms, with_ops
from conformance_backends.numpy_engine.graph import is_recording
from conformance_backends.numpy_engine.tensor import detach, edge_of

Rule = Callable[..., Any]
Altered = Callable[
    [int, Any, "Facts"], Any
]  # from an operand's number, its true gradient, and the facts of the call


class Reference:
    """The reference engine, open to changes."""

    adapter = "conformance_backends.numpy_backend:NumpyTape"
    faults = FAULTS
    faults_of_leaves = OF_LEAVES
    faults_of_scopes = OF_SCOPES
    equivalent = EQUIVALENT

    @property
    def modules(self) -> Sequence[str]:
        """The modules of the engine; its adapter is no part of it."""
        names = [module.name for module in pkgutil.iter_modules(engine.__path__)]
        return tuple(f"{engine.__name__}.{name}" for name in names)

    def backend(self) -> Backend:
        """The engine as it is."""
        return WithTransforms()

    def with_rules(self, rules: Mapping[str, Rule]) -> Backend:
        """The engine in which some ops have another rule."""
        return with_ops({op: _applied(op, rule) for op, rule in rules.items()})

    def with_altered(self, op: str, altered: Altered) -> Backend:
        """The engine in which the gradients of one op are altered, given what is known of the call."""
        return with_ops({op: _Counted(op, altered)}, base=WithModes)

    def with_fault(self, fault: str, holds: Holds) -> Backend:
        """The engine whose bookkeeping has one of `faults` where `holds` says so."""
        return GuardedTape(fault, holds)


def _applied(name: str, rule: Rule) -> Function:
    changed = replace(ALL_OPS[name], rule=rule)
    return lambda *operands, **parameters: engine.apply(changed, operands, parameters)


# ---- what is known of a call --------------------------------------------------------------------------


@dataclass
class Facts:
    """What is known where a rule is applied."""

    tensors: Sequence[Any]
    upstream: Any
    parameters: Mapping[str, Any]
    number: int
    modes: frozenset[str]
    is_recorded: bool

    @cached_property
    def operands(self) -> list[Any]:
        """Their plain values."""
        return [np.asarray(detach(x)) for x in self.tensors]

    @cached_property
    def cotangent(self) -> Any:
        """The plain value of the first."""
        first = self.upstream[0] if isinstance(self.upstream, tuple) else self.upstream
        return np.asarray(detach(first))

    @property
    def kinds(self) -> list[str]:
        """Whether each operand is a leaf, computed, or a constant."""
        edges = [edge_of(x) for x in self.tensors]
        return ["constant" if edge is None else "computed" if edge[0].edges else "leaf" for edge in edges]

    @property
    def nodes(self) -> int:
        """How many nodes are behind the operands."""
        return nodes_behind(*self.tensors)

    @property
    def is_main(self) -> bool:
        """Whether the rule is applied in the main thread."""
        return threading.current_thread() is threading.main_thread()


class _Counted:
    """An op that counts its calls, and whose gradients are altered."""

    def __init__(self, name: str, altered: Altered) -> None:
        self.op, self.altered, self.calls = ALL_OPS[name], altered, 0

    def __call__(self, *operands: Any, **parameters: Any) -> Any:
        self.calls += 1
        number, modes = self.calls, modes_at_work()

        def rule(index: int, g: Any, z: Any, /, *xs: Any, **p: Any) -> Any:
            right = self.op.rule(index, g, z, *xs, **p)
            return self.altered(index, right, Facts(operands, g, p, number, modes, is_recording()))

        return engine.apply(replace(self.op, rule=rule), operands, parameters)


REFERENCE = Reference()
