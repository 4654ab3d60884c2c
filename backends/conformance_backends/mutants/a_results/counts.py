"""Mutants that take what is missing for zero."""

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


MUTANTS: tuple[Mutant, ...] = (
    behaviour("missing-cotangent-is-none", "Outputs for which a pullback gets no cotangent are left out.",
        ("contract/A22/too-few-cotangents",), base=Pullbacks, pulled=missing_cotangents_are_none),
    behaviour("missing-tangent-is-zero", "Operands for which forward mode gets no tangent have one of zeros.",
        ("contract/A22/too-few-tangents",), jvp=missing_tangents_are_zero),
)  # fmt: skip
