"""Symmetric operands: of the gradient of one, an op's values decide the symmetric part."""

from __future__ import annotations

import numpy as np

from conformance.case import Array
from conformance.op import Op, OperandKind


def is_symmetric(op: Op, index: int) -> bool:
    """Whether an operand is a symmetric matrix."""
    return op.domain(index).kind is OperandKind.POSITIVE_DEFINITE


def symmetric_part(gradient: Array) -> Array:
    """The mean of each matrix and its transpose, which has the same slope along every symmetric direction.

    An engine that reads one triangle of its operand puts all of the gradient there, and is as right.
    """
    return np.asarray(gradient / 2 + np.swapaxes(gradient, -1, -2) / 2)
