"""The ways in which an engine wraps a function of its arrays: checkpointed, compiled, vectorized."""

from __future__ import annotations

from collections.abc import Callable

from conformance.backend import Backend, Capability, Function
from conformance.errors import Unsupported

Wrapper = Callable[[Function], Function]


def wrappers_of(engine: Backend) -> list[tuple[str, Wrapper]]:
    """Those that the engine offers, each in words that follow what is computed; Unsupported where it offers none."""
    every: dict[Capability, tuple[str, Wrapper]] = {
        Capability.CHECKPOINTING: ("in a checkpoint", engine.checkpoint),
        Capability.COMPILING: ("compiled", engine.compiled),
        Capability.VECTORIZING: ("vectorized", engine.vectorized),
    }
    offered = [made for need, made in every.items() if need in engine.capabilities]
    if not offered:
        raise Unsupported("the engine has neither checkpoints nor compiled nor vectorized functions")
    return offered
