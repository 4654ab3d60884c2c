"""Properties that hold for rows which do not state them, each with the reason.

The tests compare what every row states with what holds for it numerically. A property that holds, is not stated
and is not listed here fails them; so does an entry here that does not hold, or that a row states.
"""

from __future__ import annotations

from conformance.op import Homogeneous, Inverse, Shift, Trait

UNSTATED: dict[Trait | type, dict[str, str]] = {
    Trait.ELEMENTWISE: {
        "the check of broadcasting passes every operand through arithmetic; this one takes a mask": "masked_fill",
        "its rounding is that of two precisions": "astype",
    },
    Trait.HOLOMORPHIC: {
        "it compares numbers, which engines refuse for complex operands": """
            clip scatter_reduce relu relu6 leaky_relu prelu elu celu selu hard_tanh hard_sigmoid hard_swish hard_shrink
            hinge_embedding margin_ranking threshold multilabel_margin
        """,
        "engines define it for real operands": """
            erf erfc nan_to_num nansum nanmean nanprod nancumsum gelu gammaln digamma polygamma
            nanvar erfcx ndtr log_ndtr erfinv ndtri betaln i0 i1 i0e i1e normalize entr rel_entr gammainc gammaincc zeta
            bessel_j0 bessel_j1 multigammaln gamma betainc
            log_sigmoid softplus mish gelu_tanh glu layer_norm rms_norm batch_norm batch_norm_with_statistics group_norm instance_norm mse log_cosh
            binary_cross_entropy binary_cross_entropy_with_logits kl_div poisson_nll gaussian_nll soft_margin
            nll cross_entropy weighted_nll weighted_cross_entropy ctc ctc_with_logits grid_sample
            scaled_dot_product_attention biased_attention masked_attention
            local_response_norm rnn_cell gru_cell lstm_cell multilabel_soft_margin
            cosine_embedding renorm standardize lstm gru exp1 expi unwrap
        """,
        "their operands are the parts of complex numbers": "fft ifft rfft irfft fftn ifftn rfftn irfftn hfft ihfft stft",
        "the reference factors L Lᵀ, engines factor L Lᴴ": "cholesky cholesky_solve cholesky_inverse",
        "the reference transposes, engines conjugate too": "eigh eigvalsh svd svdvals pinv qr lstsq cond cov householder_product",
    },
    Trait.LINEAR: {"its gradient reads whether an entry is a number": "nan_to_num nansum nanmean nancumsum"},
    Trait.REAL_REFERENCE: {
        "their gradients are those of a scaled operand, which is how the test looks": """
            eigvalsh svdvals rel_entr vector_norm matrix_norm cdist pdist average
        """
    },
    Trait.LOSS: {
        "its mean divides by weights, not by a count": "weighted_nll weighted_cross_entropy",
        "its mean divides by the lengths of targets": "ctc ctc_with_logits",
    },
    Trait.REDUCTION: {"it takes one axis, or all, and no tuple": "aminmax"},
    Trait.COMMUTATIVE: {
        "it is not elementwise: an engine may sum in an order that depends on the operand": "vecdot cosine_similarity",
        "it is not elementwise: it has the parameter `reduction`": "mse l1 huber smooth_l1 soft_margin",
    },
    Trait.ORDER_EQUIVARIANT: {"its inverse is stated, which says more": "flip"},
    Homogeneous: {
        "of degree 0, which a gradient of zeros has too": "cosine_similarity cond corrcoef complex_angle",
        "in all its operands together, whose number varies": "concat stack block_diag",
    },
    Shift: {
        "several entries are left along the axis": "top_k",
        "of all its rows together, not of one": "pdist",
        "along axes that no parameter names": "batch_norm group_norm instance_norm max_pool1d max_pool2d max_pool3d adaptive_max_pool2d scaled_dot_product_attention biased_attention masked_attention",
        "both of its results shift": "aminmax",
        "along the first axis, which no parameter names": "segment_max segment_min",
    },
    Inverse: {"it is the identity for real operands": "real conj"},
}


def is_unstated(kind: Trait | type, name: str) -> bool:
    """Whether a reason is listed for the op called `name` not to state a property of this kind."""
    return any(name in names.split() for names in UNSTATED.get(kind, {}).values())
