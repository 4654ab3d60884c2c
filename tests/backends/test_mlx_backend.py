"""The adapter passes operands to MLX, and results back, unchanged: a few ops of each family."""

from __future__ import annotations

import numpy as np
import pytest

from conformance.ops import ALL_OPS
from conformance.run.declarations import hold_declarations
from conformance.run.mapping import try_mapping
from conformance.run.smoke import questions, try_question

pytest.importorskip("mlx.core", reason="mlx is not installed: tox run -e mlx")
backends = pytest.importorskip("conformance_backends.mlx.backend")

ENGINE = backends.Mlx()
SOME = (
    *("atan2", "clip", "mean", "cumulative_sum", "pad", "split", "getitem", "take_along_axis", "tensordot", "einsum"),
    *("batch_norm", "layer_norm", "max_pool2d", "scaled_dot_product_attention", "cross_entropy", "isnan"),
    *("erfinv", "baddbmm", "fftn", "ifftn", "rnn_cell", "gru_cell", "lstm_cell", "bilinear", "margin_ranking"),
    *("triplet_margin", "put_along_axis", "dynamic_slice", "conv3d", "conv_transpose2d", "max_pool1d", "avg_pool3d"),
    *("group_norm", "instance_norm", "gaussian_nll", "cosine_similarity", "fft", "rfft", "irfft", "matrix_norm"),
)  # fmt: skip


def test_what_is_declared_exists() -> None:
    hold_declarations(ENGINE)


@pytest.mark.parametrize("question", list(questions(ENGINE)), ids=lambda q: q.claim)
def test_the_smoke_test_holds(question: object) -> None:
    assert try_question(question, ENGINE) == ""  # type: ignore[arg-type]


@pytest.mark.parametrize("name", SOME)
def test_an_op_is_the_catalogues(name: str) -> None:
    assert not try_mapping(ENGINE, ALL_OPS[name], "float32").slips


def test_a_view_with_negative_strides_is_read() -> None:
    given = np.arange(6.0).reshape(2, 3)[::-1, ::-1]
    assert np.array_equal(ENGINE.numpy(ENGINE.array(given)), given)
