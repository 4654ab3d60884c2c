"""The rows that hold over complex numbers as they are written.

Such a row's reference is a holomorphic function, given by the same formula, and its rule is the transpose of the
complex-linear derivative: no modulus, no conjugate, no order among entries, and nowhere a real part but to
choose between formulas of one function. The proof of a row tries it at complex operands.

Not here: what conjugates (vecdot, norms, variances, attention), what orders (maxima, sorting, clipping), what
NumPy has for real numbers alone (cbrt, hypot), and what engines define over real numbers (losses, layers that normalise).
"""

from __future__ import annotations

from dataclasses import replace

from conformance.op import Op, Trait

# Imaginary parts within ±1 and real parts in its domain keep each of these away from its poles and cuts.
ELEMENTWISE = """
    negative positive square sqrt rsqrt reciprocal exp exp2 expm1 log log2 log10 log1p sin cos tan asin acos atan
    sinc sinh cosh tanh asinh acosh atanh sigmoid logit silu tanh_shrink
    add subtract multiply divide pow xlogy where lerp fma addcmul addcdiv
"""
REDUCTIONS = """
    sum mean prod logsumexp cumulative_sum cumulative_prod logcumsumexp diff softmax log_softmax
"""
ARRANGEMENTS = """
    reshape ravel expand_dims squeeze permute_dims swapaxes moveaxis flip roll broadcast_to tile repeat pad tril triu
    diagonal diag concat stack split unstack getitem getitem_integer_array scatter_add index_add index_update take
    take_along_axis masked_fill
"""
PRODUCTS = """
    matmul dot inner outer tensordot einsum kron cross matrix_transpose trace solve inv det matrix_power
    linear embedding unfold fold conv1d conv2d avg_pool2d
"""

HOLOMORPHIC = frozenset((ELEMENTWISE + REDUCTIONS + ARRANGEMENTS + PRODUCTS).split())


def marked(op: Op) -> Op:
    """The row with the trait, if it is one of those."""
    return replace(op, traits=op.traits | {Trait.HOLOMORPHIC}) if op.name in HOLOMORPHIC else op
