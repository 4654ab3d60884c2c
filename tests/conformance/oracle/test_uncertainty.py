"""What is known of slopes that rounding may have left."""

from __future__ import annotations

import numpy as np

from conformance.oracle.uncertainty import is_more_than_rounding


def test_noise_where_a_slope_is_zero_is_no_slope() -> None:
    noise, coarser = [np.array([1.65e-20, 0.0])], [np.array([-3e-17, 1e-17])]
    assert not is_more_than_rounding(noise, coarser)
    assert not is_more_than_rounding([np.zeros(2)], [np.zeros(2)])
    assert not is_more_than_rounding([np.array([np.inf])], [np.array([np.inf])])
    assert is_more_than_rounding([np.array([0.5, 0.0])], [np.array([0.5 + 1e-16, 1e-17])])
