"""Are the numbers that trials are perturbed by those of NumPy's generator?"""

from __future__ import annotations

import numpy as np
import pytest

from conformance.oracle.draws import BLOCK, Draws, InPlace

FLOAT = np.dtype(np.float64)


def test_steps_and_orders_are_those_of_the_generator() -> None:
    rng, draws, choose = np.random.default_rng(0), Draws(), np.random.default_rng(1)
    for _ in range(300):
        if choose.random() < 0.3:
            count = int(choose.integers(0, 200))
            assert rng.permutation(count).tolist() == draws.permutation(count).tolist()
        else:
            shape, furthest = tuple(choose.integers(0, 9, choose.integers(0, 4)).tolist()), 3
            drawn = draws.steps(shape, furthest, FLOAT)
            assert drawn.shape == shape
            assert rng.integers(-furthest, furthest + 1, shape).tolist() == drawn.tolist()


@pytest.mark.parametrize("count", [BLOCK - 1, BLOCK, BLOCK + 1, 2 * BLOCK + 1])
def test_the_sequence_goes_on_across_blocks(count: int) -> None:
    rng, draws = np.random.default_rng(0), Draws()
    for _ in range(2):
        assert np.array_equal(rng.integers(-1, 2, count), draws.steps((count,), 1, FLOAT))
    assert np.array_equal(rng.permutation(100), draws.permutation(100))


def test_what_is_kept_cannot_be_written() -> None:
    for kept in (Draws().steps((3,), 1, FLOAT), Draws().permutation(9)):
        with pytest.raises(ValueError, match="read-only"):
            kept[0] = 5


def test_equal_terms_that_carry_derivatives_along_are_rounded_to_one_side_as_well() -> None:
    """The derivatives, as imaginary parts, differ; 1025 equal roots, added up, are hundreds of units off."""
    terms, along = np.ones(1025), np.linspace(-1, 1, 1025)
    plain, carrying = InPlace().total(terms), InPlace().total(terms + 1j * along)
    assert carrying.real == plain != 1025
    assert abs(carrying.imag) < 1e-9
