"""Mutants that take what is missing for zero, or ignore what there is too much of."""

from __future__ import annotations

import contextlib
from typing import Any

import numpy as np

from conformance_backends.mutants.b_graph.call_histories import Pullbacks
from conformance_backends.mutants.mutant import Mutant, SteppedTape, behaviour

MOST = 3  # outputs of a function


def missing_cotangents_are_none(self: Any, one: Any, given: Any) -> Any:
    """Outputs without a cotangent are left out, as where a loop ends with the shorter of two lists."""
    for _ in range(MOST):
        with contextlib.suppress(ValueError):  # there are not as many
            return Pullbacks.pulled(self, one, given)
        given = (*given, None)
    return Pullbacks.pulled(self, one, given)


def missing_tangents_are_zero(self: Any, function: Any, operands: Any, tangents: Any) -> Any:
    """Operands without a tangent have one of zeros."""
    zeros = [np.zeros_like(x) for x in operands[len(tangents) :]]
    return SteppedTape.jvp(self, function, operands, [*tangents, *zeros])


def surplus_cotangents_are_ignored(self: Any, one: Any, given: Any) -> Any:
    """Cotangents behind those of the outputs are ignored."""
    for count in range(len(given), 1, -1):
        with contextlib.suppress(ValueError):  # there are not as many outputs
            return Pullbacks.pulled(self, one, given[:count])
    return Pullbacks.pulled(self, one, given)


def surplus_tangents_are_ignored(self: Any, function: Any, operands: Any, tangents: Any) -> Any:
    """Tangents behind those of the operands are ignored."""
    return SteppedTape.jvp(self, function, operands, tangents[: len(operands)])


MUTANTS: tuple[Mutant, ...] = (
    behaviour("missing-cotangent-is-none", "Outputs for which a pullback gets no cotangent are left out.",
        ("contract/A22/too-few-cotangents",), base=Pullbacks, pulled=missing_cotangents_are_none),
    behaviour("missing-tangent-is-zero", "Operands for which forward mode gets no tangent have one of zeros.",
        ("contract/A22/too-few-tangents",), jvp=missing_tangents_are_zero),
    behaviour("surplus-cotangent-ignored", "Cotangents behind those of the outputs are ignored.",
        ("contract/A22/too-many-cotangents",), base=Pullbacks, pulled=surplus_cotangents_are_ignored),
    behaviour("surplus-tangent-ignored", "Tangents behind those of the operands are ignored.",
        ("contract/A22/too-many-tangents",), jvp=surplus_tangents_are_ignored),
)  # fmt: skip
