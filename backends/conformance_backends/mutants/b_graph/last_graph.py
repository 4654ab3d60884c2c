"""Mutants that keep the last graph."""

from __future__ import annotations

from typing import Any

from conformance.backend import Trace
from conformance_backends.mutants.mutant import Mutant, SteppedTape, behaviour
from conformance_backends.numpy_engine.graph import Edge


def last_failure_kept(self: Any, edge: Edge, cotangent: Any) -> Any:
    """A graph whose backward pass failed is kept until the next one fails."""
    try:
        return SteppedTape.traverse(self, edge, cotangent)
    except Exception:
        self.kept["failed"] = edge
        raise


def last_refusal_kept(self: Any, output: Any, gradient: Any) -> Any:
    """A graph whose cotangent was refused is kept until the next one."""
    self.kept["output"] = output
    fitting = SteppedTape.seed(self, output, gradient)
    del self.kept["output"]
    return fitting


def last_trace_kept(self: Any, function: Any, operands: Any, wrt: Any = None) -> Trace:
    """A graph is kept until the next one."""
    traced: Trace = SteppedTape.trace(self, function, operands, wrt)
    self.kept["traced"] = traced
    return traced


LAST = ("contract/B12/last-graph",)

MUTANTS: tuple[Mutant, ...] = (
    behaviour("last-failure-kept", "The last graph whose backward pass failed is kept.", LAST, traverse=last_failure_kept),
    behaviour("last-refusal-kept", "The last graph whose cotangent was refused is kept.", LAST, seed=last_refusal_kept),
    behaviour("last-trace-kept", "The last graph is kept.", LAST, trace=last_trace_kept),
)  # fmt: skip
