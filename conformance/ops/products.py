"""Products of vectors, matrices and arrays of more axes; matrices are the last two axes.

The rules contract the cotangent with the other operands, as ⟨g, dz⟩ = ⟨x̄, dx⟩ demands with dz by the product
rule. Giles 2008 is the report that `linear_algebra` names in full.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from conformance.dtype import carried
from conformance.op import Op, Shape
from conformance.ops.dispatch import dispatched
from conformance.ops.laws import products
from conformance.ops.rows import general, unbroadcast, variadic
from conformance.ops.traits import HOLOMORPHIC, QUADRATIC, SAVES_OPERANDS, Homogeneous, Shift

# -- references ------------------------------------------------------------------------------------


@dispatched
def einsum(*operands: Any, subscripts: str) -> Any:
    """Einstein's sum over the subscripts."""
    if not all(
        map(np.size, operands)
    ):  # of complex numbers in extended precision NumPy writes beyond an empty result
        return np.einsum(subscripts, *map(np.real, operands)).astype(np.result_type(*operands))
    return np.einsum(subscripts, *operands)


@dispatched
def cov(x: Any, *, correction: int) -> Any:
    """The covariances of the rows, over as many observations as there are columns, less the correction; of one row, or of a vector, a number."""
    rows = x if np.ndim(x) > 1 else np.expand_dims(x, 0)
    centred = rows - np.mean(rows, axis=1, keepdims=True)
    product = centred @ np.matrix_transpose(centred) / (np.shape(rows)[1] - correction)
    return product if len(rows) > 1 else np.reshape(product, ())


# -- products --------------------------------------------------------------------------------------


def transposed(x: Any) -> Any:
    """Each matrix mirrored at its diagonal."""
    return x.mT


def matmul_vjps(g: Any, a: Any, b: Any) -> tuple[Any, Any, Any]:
    """`g`, `a` and `b` as matrices: a vector on the left is a row, on the right a column."""
    if b.ndim == 1:
        b, g = np.expand_dims(b, axis=-1), np.expand_dims(g, axis=-1)
    if a.ndim == 1:
        a, g = np.expand_dims(a, axis=-2), np.expand_dims(g, axis=-2)
    return g, a, b


def matmul_left(g: Any, z: Any, a: Any, b: Any) -> Any:
    """g Bᵀ."""
    g, rows, b = matmul_vjps(g, a, b)
    product = unbroadcast(np.matmul(g, transposed(b)), rows.shape)
    return product if a.ndim > 1 else product.reshape(a.shape)


def matmul_right(g: Any, z: Any, a: Any, b: Any) -> Any:
    """Aᵀ g."""
    g, a, columns = matmul_vjps(g, a, b)
    product = unbroadcast(np.matmul(transposed(a), g), columns.shape)
    return product if b.ndim > 1 else product.reshape(b.shape)


def free_axes(ndim: int, contracted: Sequence[int]) -> list[int]:
    """The axes that are not contracted."""
    return [axis for axis in range(ndim) if axis not in contracted]


def arranged(product: Any, order: Sequence[int]) -> Any:
    """`product`, whose axis k belongs at place order[k], with every axis at its place."""
    return np.transpose(product, axes=tuple(int(k) for k in np.argsort(order)))


def contraction_left(g: Any, a: Any, b: Any, pairs: Sequence[tuple[int, int]]) -> Any:
    """ā where z sums a and b over the pairs of axes: g and b summed over the free axes of b."""
    free_a = free_axes(np.ndim(a), [i for i, _ in pairs])
    free_b = free_axes(np.ndim(b), [j for _, j in pairs])
    product = np.tensordot(g, b, axes=(list(range(len(free_a), np.ndim(g))), free_b))
    return arranged(product, free_a + [i for i, _ in sorted(pairs, key=lambda pair: pair[1])])


def contraction_right(g: Any, a: Any, b: Any, pairs: Sequence[tuple[int, int]]) -> Any:
    """b̄ where z sums a and b over the pairs of axes: a and g summed over the free axes of a."""
    free_a = free_axes(np.ndim(a), [i for i, _ in pairs])
    free_b = free_axes(np.ndim(b), [j for _, j in pairs])
    product = np.tensordot(a, g, axes=(free_a, list(range(len(free_a)))))
    return arranged(product, [j for _, j in sorted(pairs)] + free_b)


def tensordot_pairs(a: Any, b: Any, axes: Any) -> list[tuple[int, int]]:
    """The pairs of axes tensordot sums over: the last of a with the first of b, or as listed."""
    n, m = np.ndim(a), np.ndim(b)
    if isinstance(axes, int):
        return [(n - axes + k, k) for k in range(axes)]
    left, right = ((axis,) if isinstance(axis, int) else axis for axis in axes)
    return [(i % n, j % m) for i, j in zip(left, right, strict=True)]


def dot_pairs(a: Any, b: Any) -> list[tuple[int, int]]:
    """The pair dot sums over: the last axis of a, the last but one of b (the only one of a vector)."""
    is_scaling = np.ndim(a) == 0 or np.ndim(b) == 0
    return [] if is_scaling else [(np.ndim(a) - 1, max(np.ndim(b) - 2, 0))]


def inner_pairs(a: Any, b: Any) -> list[tuple[int, int]]:
    """The pair inner sums over: both last axes."""
    is_scaling = np.ndim(a) == 0 or np.ndim(b) == 0
    return [] if is_scaling else [(np.ndim(a) - 1, np.ndim(b) - 1)]


def vecdot_vjp(g: Any, x: Any, other: Any, axis: int) -> Any:
    """g times the other operand, along the summed axis again."""
    return unbroadcast(np.expand_dims(g, axis=axis) * other, np.shape(x))


def in_pairs(first: Shape, second: Shape) -> Shape:
    """The sizes of two shapes of one rank in turn: those of blocks, and of what is in a block."""
    return tuple(size for pair in zip(first, second, strict=True) for size in pair)


def kron_vjp(index: int, g: Any, a: Any, b: Any) -> Any:
    """g as blocks, summed against the other factor; the factor of lower rank has axes of size 1 before its own."""
    rank = max(np.ndim(a), np.ndim(b))
    outer, inner = ((1,) * (rank - np.ndim(x)) + np.shape(x) for x in (a, b))
    blocks, ones = np.reshape(g, shape=in_pairs(outer, inner)), (1,) * rank
    if index == 0:
        other, summed = np.reshape(b, shape=in_pairs(ones, inner)), range(1, 2 * rank, 2)
    else:
        other, summed = np.reshape(a, shape=in_pairs(outer, ones)), range(0, 2 * rank, 2)
    return np.reshape(np.sum(blocks * other, axis=tuple(summed)), shape=np.shape((a, b)[index]))


# -- einsum ----------------------------------------------------------------------------------------


def terms_of(subscripts: str, operands: Sequence[Any]) -> tuple[list[str], str]:
    """The letters of each operand and of the result, an ellipsis written out in capitals from behind."""
    left, arrow, result = subscripts.replace(" ", "").partition("->")
    terms = left.split(",")
    spare = [letter for letter in "ZYXWVUTSRQPONMLKJIHGFEDCBA" if letter not in left]
    counts = [np.ndim(x) - len(t) + 3 if "..." in t else 0 for t, x in zip(terms, operands, strict=True)]
    written = [t.replace("...", "".join(spare[:n][::-1])) for t, n in zip(terms, counts, strict=True)]
    dots = "".join(spare[: max(counts)][::-1])
    if not arrow:
        letters = left.replace("...", "").replace(",", "")
        result = "..." + "".join(sorted(c for c in set(letters) if letters.count(c) == 1))
    return written, result.replace("...", dots)


def einsum_vjp(index: int, g: Any, z: Any, *operands: Any, subscripts: str) -> Any:
    """The sum of `g` with the other operands, back onto the letters of operand `index`.

    A letter that stands in this operand alone was summed over: ones stand in for it. A letter it
    repeats picked a diagonal: an identity matrix joins the letter to a new one for each repetition, and
    off the diagonal the gradient is zero whatever it is multiplied with.
    """
    terms, result = terms_of(subscripts, operands)
    sizes: dict[str, int] = {}
    for term, x in zip(terms, operands, strict=True):
        for letter, size in zip(term, np.shape(x), strict=True):
            sizes[letter] = max(sizes.get(letter, 1), size) if size else 0
    others = [(t, x) for i, (t, x) in enumerate(zip(terms, operands, strict=True)) if i != index]
    factors = [(result, g), *others]
    spare = (letter for letter in "abcdefghijklmnopqrstuvwxyz" if letter not in "".join(terms))
    # A letter may be of size 1 in every factor and of more in this operand, whose gradient it is copied along.
    known = {c for term, x in factors for c, n in zip(term, np.shape(x), strict=True) if n == sizes[c]}
    target = ""
    places = []  # of which the product is 1 on the diagonals and 0 beside them
    for letter in terms[index]:
        new = letter
        if letter in target:
            new = next(spare)
            places.append((letter + new, np.eye(sizes[letter], dtype=g.dtype)))
        else:
            places.append((letter, np.ones(sizes[letter], dtype=g.dtype)))
        target += new
    factors += [(term, x) for term, x in places if len(term) > 1 or term not in known]
    pulled = _contracted(factors, target)
    if any(len(term) > 1 for term, _ in places):
        on_diagonals = _contracted([(term, carried(x)) for term, x in places], target)  # plain arrays
        pulled = np.where(on_diagonals != 0, pulled, 0)
    return unbroadcast(pulled, np.shape(operands[index]))


def _contracted(factors: Sequence[tuple[str, Any]], target: str) -> Any:
    subscripts = ",".join(term for term, _ in factors) + "->" + target
    return einsum(*(x for _, x in factors), subscripts=subscripts)


def cov_vjp(g: Any, z: Any, x: Any, correction: int) -> Any:
    """(g + gᵀ) X/(n − c), X the rows without their means."""
    rows = x if np.ndim(x) > 1 else np.expand_dims(x, 0)
    count, each = np.shape(rows)
    whole = np.reshape(g, shape=(count, count))
    centred = rows - np.mean(rows, axis=1, keepdims=True)
    return np.reshape(np.matmul(whole + transposed(whole), centred) / (each - correction), np.shape(x))


# -- rows ------------------------------------------------------------------------------------------

ROWS: tuple[Op, ...] = (
    general("matmul", np.matmul, matmul_left, matmul_right,
        formula="Ā = g Bᵀ, B̄ = Aᵀ g", source="Giles 2008, 2.2.2: d(AB) = dA B + A dB", law=products.MATMUL,
        traits={QUADRATIC, HOLOMORPHIC, Homogeneous(1), Homogeneous(1, of=(1,)), SAVES_OPERANDS}),
    general("dot", np.dot, lambda g, z, a, b: contraction_left(g, a, b, dot_pairs(a, b)),
        lambda g, z, a, b: contraction_right(g, a, b, dot_pairs(a, b)),
        formula="Ā = g Bᵀ, B̄ = Aᵀ g, summed over the free axes",
        source="bilinear; each operand's cotangent contracts g with the other", law=products.DOT,
        traits={QUADRATIC, HOLOMORPHIC, Homogeneous(1), Homogeneous(1, of=(1,))}),
    general("vecdot", np.vecdot, lambda g, z, x, y, axis=-1: vecdot_vjp(g, x, y, axis),
        lambda g, z, x, y, axis=-1: vecdot_vjp(g, y, x, axis),
        formula="x̄ = g · y, ȳ = g · x", source="product rule under the sum", law=products.vecdot,
        traits={QUADRATIC, Homogeneous(1), Homogeneous(1, of=(1,))}),
    general("inner", np.inner, lambda g, z, a, b: contraction_left(g, a, b, inner_pairs(a, b)),
        lambda g, z, a, b: contraction_right(g, a, b, inner_pairs(a, b)),
        formula="Ā = g B, B̄ = gᵀ A", source="bilinear; each operand's cotangent contracts g with the other",
        law=products.INNER, traits={QUADRATIC, HOLOMORPHIC, Homogeneous(1), Homogeneous(1, of=(1,))}),
    general("outer", np.outer, lambda g, z, x, y: np.matmul(g, y), lambda g, z, x, y: np.matmul(x, g),
        formula="x̄ = g y, ȳ = gᵀ x", source="d(xyᵀ) = dx yᵀ + x dyᵀ", law=products.OUTER,
        traits={QUADRATIC, HOLOMORPHIC, Homogeneous(1), Homogeneous(1, of=(1,))}),
    general("tensordot", np.tensordot,
        lambda g, z, a, b, axes=2: contraction_left(g, a, b, tensordot_pairs(a, b, axes)),
        lambda g, z, a, b, axes=2: contraction_right(g, a, b, tensordot_pairs(a, b, axes)),
        formula="Ā = g · B, B̄ = A · g, summed over the free axes",
        source="bilinear; each operand's cotangent contracts g with the other", law=products.tensordot,
        traits={QUADRATIC, HOLOMORPHIC, Homogeneous(1), Homogeneous(1, of=(1,))}),
    variadic("einsum", einsum, einsum_vjp,
        formula="x̄ᵢ = einsum(g, the others → the letters of xᵢ)",
        source="multilinear; the cotangent of a factor contracts g with all the others", law=products.einsum,
        traits={HOLOMORPHIC, Homogeneous(1)}),
    general("kron", np.kron, lambda g, z, a, b: kron_vjp(0, g, a, b),
        lambda g, z, a, b: kron_vjp(1, g, a, b),
        formula="Āᵢⱼ = ⟨gᵢⱼ, B⟩, B̄ = Σ Aᵢⱼ gᵢⱼ over the blocks gᵢⱼ of g",
        source="bilinear: block ij of z is Aᵢⱼ B", law=products.KRON,
        traits={QUADRATIC, HOLOMORPHIC, Homogeneous(1), Homogeneous(1, of=(1,))}),
    general("cross", np.cross, lambda g, z, x, y, axis: unbroadcast(np.cross(y, g, axis=axis), np.shape(x)),
        lambda g, z, x, y, axis: unbroadcast(np.cross(g, x, axis=axis), np.shape(y)),
        formula="x̄ = y × g, ȳ = g × x", source="the triple product is cyclic: ⟨g, dx × y⟩ = ⟨y × g, dx⟩",
        law=products.cross, traits={QUADRATIC, HOLOMORPHIC, Homogeneous(1), Homogeneous(1, of=(1,))}),
    general("cov", cov, cov_vjp,
        formula="x̄ = (g + gᵀ) X/(n − c), X the rows of x less their means", source="the product rule; the rows of X sum to 0",
        law=products.OBSERVED, traits={QUADRATIC, Homogeneous(2), Shift(0)}),
)  # fmt: skip
