"""The limit of gradients at ever larger operands."""

from __future__ import annotations

import numpy as np
import pytest

from conformance.checks.e_values.infinities import SLACK, _hold_limit, _limits
from conformance.errors import Violation


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


def test_a_long_sum_may_be_off_by_half_a_unit_for_each_of_its_terms() -> None:
    limit, size, eps = np.ones(1, np.longdouble), np.full(1, 3.0), np.finfo(np.float64).eps
    got = 1 + (SLACK + 400) * 3 * eps * limit
    _hold_limit(got, limit, size, 1000, np.dtype(np.float64), "the sum of a thousand")
    with pytest.raises(Violation, match="the sum of one"):
        _hold_limit(got, limit, size, 1, np.dtype(np.float64), "the sum of one")
