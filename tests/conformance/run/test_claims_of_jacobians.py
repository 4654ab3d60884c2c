"""Jacobians and Hessians whose axes or blocks are exchanged are named by a claim of smoke."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import pytest
from conformance_backends.numpy_backend import NumpyTape

from .claims_asked import answer_of

JACOBIANS = "Jacobians are in the order of the operands"
HESSIANS = "a Hessian is of second derivatives"


class TransposesUnequal(NumpyTape):
    """It exchanges rows and columns of a Jacobian, unless output and operand have one shape."""

    def jacobian(self, function: Any, operands: Any, kind: str = "rows") -> Any:
        found = super().jacobian(function, operands, kind)
        return tuple(map(self.exchanged, found, operands)) if kind != "hessian" else found

    def exchanged(self, jacobian: Any, x: Any) -> Any:
        """The Jacobian with its matrix transposed."""
        values = self.numpy(jacobian)
        shape = values.shape[: values.ndim - x.ndim]
        if shape == x.shape:
            return jacobian
        return self.array(values.reshape(-1, x.size).T.reshape(values.shape).copy())


class TransposesEqual(TransposesUnequal):
    """It exchanges them where both have one shape."""

    def exchanged(self, jacobian: Any, x: Any) -> Any:
        """The Jacobian with its matrix transposed."""
        values = self.numpy(jacobian)
        shape = values.shape[: values.ndim - x.ndim]
        if shape != x.shape:
            return jacobian
        return self.array(values.reshape(x.size, x.size).T.reshape(values.shape).copy())


class TransposesMatrices(TransposesEqual):
    """The same, where the operand is a matrix alone."""

    def exchanged(self, jacobian: Any, x: Any) -> Any:
        """The Jacobian with its matrix transposed, of a matrix."""
        return super().exchanged(jacobian, x) if x.ndim > 1 else jacobian


class TransposesWithoutBroadcasting(TransposesEqual):
    """The same, of an engine that multiplies operands of one shape alone."""

    ops: ClassVar[Any] = {**NumpyTape.ops}

    def op(self, name: str) -> Any:
        found = super().op(name)

        def of_one_shape(x: Any, y: Any) -> Any:
            if x.shape != y.shape:
                raise ValueError("operands of two shapes")
            return found(x, y)

        return of_one_shape if name == "multiply" else found


class FirstBlocks(NumpyTape):
    """It returns of each row of blocks the first one."""

    def jacobian(self, function: Any, operands: Any, kind: str = "rows") -> Any:
        if kind != "hessian" or len(operands) == 1:
            return super().jacobian(function, operands, kind)
        flat = np.concatenate([np.ravel(x) for x in operands])
        size = operands[0].size

        def joined(x: Any) -> Any:
            parts = (x[i * size : (i + 1) * size] for i in range(len(operands)))
            return function(*parts)

        (whole,) = super().jacobian(joined, [flat], kind)
        values = self.numpy(whole)
        rows = (slice(i * size, (i + 1) * size) for i in range(len(operands)))
        return [self.array(values[row, self.columns(row)].copy()) for row in rows]

    def columns(self, row: slice) -> slice:
        """The columns of the block that is returned of a row of blocks."""
        return slice(row.stop - row.start)


class OwnBlocks(FirstBlocks):
    """It returns the block of each operand's own."""

    def columns(self, row: slice) -> slice:
        """Those of the same operand."""
        return row


@pytest.mark.parametrize(
    ("adapter", "claim", "said"),
    [
        (TransposesUnequal, JACOBIANS, "the Jacobian of x * w, a row and a column by rows, by x"),
        (TransposesEqual, JACOBIANS, "the Jacobian of (x · w) x by rows, by x"),
        (TransposesMatrices, JACOBIANS, "the Jacobian of x @ w by rows, by x"),
        (TransposesWithoutBroadcasting, JACOBIANS, "the Jacobian of x @ w by rows, by x"),
        (FirstBlocks, HESSIANS, "the Hessian of the sum of x * x * w * w, by w alone"),
    ],
)
def test_a_jacobian_with_exchanged_axes_is_a_slip(adapter: Any, claim: str, said: str) -> None:
    assert said in answer_of(adapter(), claim)
    assert answer_of(NumpyTape(), claim) == ""


def test_hessians_by_each_of_several_operands_are_no_slip() -> None:
    assert answer_of(OwnBlocks(), HESSIANS) == ""
