"""The limit of gradients at ever larger operands."""

from __future__ import annotations

import numpy as np
import pytest

from conformance.checks.e_values.infinities import _limits


@pytest.mark.parametrize(
    ("gradients", "limit"),
    [
        ((2.0, 2.0, 2.0), 2.0),
        ((1e-40, 1e-80, 1e-160), 0.0),
        ((1e40, 1e80, 1e160), np.inf),
        ((-1e40, -1e80, -1e160), -np.inf),
        ((0.0, 0.0, 1e-180), np.nan),  # terms that cancel, but for their rounding
        ((1.0, -1.0, 0.5), np.nan),
    ],
)
def test_a_limit_is_where_gradients_settle_vanish_or_grow(gradients: tuple[float, ...], limit: float) -> None:
    (found,) = _limits([[np.array([g], np.longdouble)] for g in gradients])
    assert np.array_equal(found, [limit], equal_nan=True)
