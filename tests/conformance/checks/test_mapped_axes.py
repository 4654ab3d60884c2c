"""Where few signatures are asked a mapped op is asked along two axes: one that a map shifts, and one that it does not."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import pytest
from conformance_backends.mutants.mutant import WithTransforms

from conformance.backend import Function
from conformance.case import Case
from conformance.checks.c_modes.ops_in_modes import mapped_op_has_the_gradients_of_a_loop
from conformance.checks.observation import Observation, Oracle
from conformance.errors import Violation
from conformance.ops import find
from conformance.ops.names import CUMULATIVE_SUM


class Unshifted(WithTransforms):
    """A running sum that is mapped goes along the axis before the one that is named, from the second on."""

    compiles_signatures = True
    is_mapped = False

    def vectorized(self, function: Function) -> Function:
        mapped = super().vectorized(function)

        def call(*operands: Any) -> Any:
            Unshifted.is_mapped = True
            try:
                return mapped(*operands)
            finally:
                Unshifted.is_mapped = False

        return call

    @staticmethod
    def wrong(x: Any, axis: int) -> Any:
        return WithTransforms.ops[CUMULATIVE_SUM](x, axis=axis - (Unshifted.is_mapped and axis >= 1))

    ops: ClassVar = {**WithTransforms.ops, CUMULATIVE_SUM: wrong}


@pytest.mark.parametrize("axis", [0, -1, -2])
def test_an_axis_that_is_not_shifted_is_noticed(axis: int) -> None:
    x, g = np.arange(6.0).reshape(2, 3), np.array([[1.0, -2.0, 3.0], [0.5, 4.0, -1.5]])
    case = Case(CUMULATIVE_SUM, (x,), {"axis": axis}, (g,), ("C", "C"), "float64")
    oracle = Oracle(find(CUMULATIVE_SUM), case)
    mapped_op_has_the_gradients_of_a_loop(Observation(WithTransforms(), oracle))
    with pytest.raises(Violation, match="in a batch of"):
        mapped_op_has_the_gradients_of_a_loop(Observation(Unshifted(), oracle))
