"""Matrices are drawn inside their domains: with positive determinants, or as tensors that are matrices."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from conformance.op import INVERTIBLE, POSITIVE_DETERMINANT
from conformance.values import FAR, TEXTURES, operands

SHAPES = ((1, 1), (2, 2), (3, 3), (2, 3, 3), (5, 5), (0, 2, 2))


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16"])
@pytest.mark.parametrize("texture", [*TEXTURES, *FAR])
def test_determinants_are_positive_where_the_domain_says_so(texture: str, dtype: str) -> None:
    for seed in range(10):
        drawn = operands(
            [POSITIVE_DETERMINANT] * len(SHAPES), SHAPES, dtype, texture, np.random.default_rng(seed)
        )
        for matrices in drawn:
            signs, _ = np.linalg.slogdet(matrices.astype(float))
            assert (signs > 0).all()


def test_matrices_of_positive_determinants_are_not_all_symmetric() -> None:
    (drawn,) = operands([POSITIVE_DETERMINANT], [(3, 3)], "float64", "round", np.random.default_rng(0))
    assert not np.array_equal(drawn, drawn.T)


@pytest.mark.parametrize("texture", TEXTURES)
@pytest.mark.parametrize(
    ("shape", "rows"), [((2, 3, 6), (0, 1)), ((2, 6, 3), (1,)), ((3, 2, 2, 3), (0, 2)), ((2, 2), (1,))]
)
def test_a_tensor_is_an_invertible_matrix_by_the_axes_of_its_rows(
    shape: tuple[int, ...], rows: tuple[int, ...], texture: str
) -> None:
    domain = replace(INVERTIBLE, rows=rows)
    (tensor,) = operands([domain], [shape], "float64", texture, np.random.default_rng(0))
    assert tensor.shape == shape
    matrix = domain.as_matrices(tensor)
    assert np.linalg.cond(matrix) < 100
    assert np.array_equal(domain.as_tensor(matrix, shape), tensor)
