"""Mutants that compute anew, compile or map over an axis wrongly."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from conformance.backend import Function
from conformance_backends import numpy_engine as engine
from conformance_backends.mutants.mutant import Mutant, Running, Walking, behaviour
from conformance_backends.numpy_engine.tensor import Tensor, detach, edge_of, tensor_at

# ---- computing anew ----------------------------------------------------------------------------------


def anew_a_little_off(self: Any, function: Function) -> Function:
    """What is computed anew is computed from operands that were kept in fewer digits."""

    def rounded(*operands: Any) -> Any:
        return function(*(x * np.asarray(1 + 2.0**-20, x.dtype) for x in operands))

    return _otherwise_anew(function, rounded)


def anew_twice(self: Any, function: Function) -> Function:
    """On the way back the function is called twice."""

    def twice(*operands: Any) -> Any:
        function(*operands)
        return function(*operands)

    return _otherwise_anew(function, twice)


def _otherwise_anew(function: Function, anew: Function) -> Function:
    """A checkpoint that calls another function on the way back."""

    def operation(*operands: Any) -> Any:
        ways = iter((function, anew))
        return engine.checkpoint(lambda *xs: next(ways)(*xs))(*operands)

    return operation


def anew_first_operand_only(self: Any, function: Function) -> Function:
    """Only the first operand's gradient comes out of what is computed anew."""
    return lambda first, *rest: engine.checkpoint(lambda x: function(x, *map(engine.detach, rest)))(first)


# ---- compiling ---------------------------------------------------------------------------------------


def baking(keep: Callable[[Sequence[Any]], Any]) -> Any:
    """A compiler for which the last operand's value at the first call with the same `keep` is a constant."""

    def compiled(self: Any, function: Function) -> Function:
        first: dict[Any, Any] = {}

        def call(*operands: Any) -> Any:
            *others, last = operands
            baked = first.setdefault(keep(operands), detach(last))
            return function(*others, tensor_at(baked, edge_of(last)))

        return call

    return compiled


def in_half_precision(self: Any, function: Function) -> Function:
    """What is compiled computes in float16."""

    def call(*operands: Any) -> Any:
        return function(*(x.astype("float16") for x in operands)).astype(operands[0].dtype)

    return call


# ---- mapping -----------------------------------------------------------------------------------------


def rows_reversed(self: Any, function: Function) -> Function:
    """The rows come out in the reverse order."""
    return Running.looped(self, function, slice(None, None, -1))


def first_row_for_all(self: Any, function: Function) -> Function:
    """The last operand is not mapped: its first row serves all."""

    def mapped(*operands: Any) -> Any:
        *others, last = operands
        shared = last[(slice(0, 1),)] + last * 0
        return Running.looped(self, function)(*others, shared)

    return mapped


def single_row_unmapped(self: Any, function: Function) -> Function:
    """An axis of length one is taken for no axis: the function sees it, and nothing is stacked."""

    def mapped(*operands: Any) -> Any:
        return function(*operands) if len(operands[0]) == 1 else Running.looped(self, function)(*operands)

    return mapped


def gradients_averaged(self: Any, function: Function) -> Function:
    """Every row receives the mean of all rows' gradients."""
    mapped = Running.looped(self, function)

    def averaged(*operands: Any) -> Any:
        return mapped(*(_averaging(x) for x in operands))

    return averaged


def _averaging(x: Any) -> Any:
    """x, whose rows have one gradient: their mean."""
    mean = engine.custom(
        lambda value: value, lambda g, value: (np.broadcast_to(g.mean(axis=0), g.shape).astype(g.dtype),)
    )
    return mean(x) if isinstance(x, Tensor) else x


BITS, ANEW = "contract/C6/checkpoint", "contract/C6/anew"
COMPILED, CLOSE = "contract/C10/compiled", "contract/C10/compiled-close"
MAPPED, APART = "contract/C10/vectorized", "contract/C10/per-example"

MUTANTS: tuple[Mutant, ...] = (
    behaviour("checkpoint-remembers", "A checkpointed function is remembered, not computed anew.",
        (ANEW,), checkpoint=lambda self, function: function),
    behaviour("checkpoint-calls-twice", "A checkpointed function is called twice on the way back.",
        (ANEW,), checkpoint=anew_twice),
    behaviour("elects-replay-calls", "Replaying a trace is elected, and the function is called on the way back.",
        (ANEW,), conventions={**Walking.conventions, "C6": "replays"}),
    behaviour("checkpoint-rounds", "What is computed anew is computed from operands in fewer digits.",
        (BITS, ANEW), checkpoint=anew_a_little_off),
    behaviour("checkpoint-first-only", "Only the first operand of a checkpointed function has a gradient.",
        (BITS,), checkpoint=anew_first_operand_only),
    behaviour("compiled-bakes-values", "An operand's value at the first call with these shapes is compiled in.",
        (COMPILED,), base=Running, compiled=baking(lambda xs: [(x.shape, x.dtype.name) for x in xs].__repr__())),
    behaviour("compiled-one-shape", "What was compiled for one shape is used for all.",
        (COMPILED, "capability/compiling"), base=Running, compiled=baking(len)),
    behaviour("compiled-in-half", "What is compiled computes in float16.",
        (CLOSE,), base=Running, compiled=in_half_precision),
    behaviour("mapped-reversed", "Rows that were mapped come out in the reverse order.",
        (MAPPED,), base=Running, vectorized=rows_reversed),
    behaviour("mapped-first-row", "The last operand's first row serves all.",
        (MAPPED, APART), base=Running, vectorized=first_row_for_all),
    behaviour("mapped-single-row", "An axis of length one is not mapped over.",
        (MAPPED,), base=Running, vectorized=single_row_unmapped),
    behaviour("mapped-averages", "Every row receives the mean of all rows' gradients.",
        (MAPPED, APART), base=Running, vectorized=gradients_averaged),
    behaviour("mapped-at-once", "The function sees all rows at once.",
        (MAPPED, APART, "capability/vectorizing"), base=Running, vectorized=lambda self, function: function),
)  # fmt: skip
