"""Controls that add up in another order than NumPy does.

A row is evaluated on arrays of a type whose sums, matrix products and running sums are taken in the order of a
subclass. Half precision is added up in single precision, as every known engine does.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from conformance.op import Op
from conformance.ops.products import tensordot_pairs, terms_of
from conformance_backends.mutants.controls.rows import computed_by, is_recorded

Array = np.ndarray[Any, Any]

# ---- orders: from an array (..., n) to its sums along the last axis --------------------------------------


def one_by_one(terms: Array) -> Array:
    """Each term added to the sum of those before it: the order of a plain loop, and the least accurate."""
    if not terms.shape[-1]:
        return np.zeros(terms.shape[:-1], terms.dtype)
    return np.asarray(np.add.accumulate(terms, axis=-1)[..., -1])


def pairwise_from_the_end(terms: Array) -> Array:
    """The later half plus the earlier half, each so added up."""
    n = terms.shape[-1]
    if n < 2:
        return terms[..., 0] if n else np.zeros(terms.shape[:-1], terms.dtype)
    half = n // 2
    later, earlier = pairwise_from_the_end(terms[..., half:]), pairwise_from_the_end(terms[..., :half])
    return np.asarray(later + earlier)


def in_eight_lanes(terms: Array) -> Array:
    """Every eighth term added to one of eight partial sums, as vector units do, then these from the last on."""
    lanes = np.zeros((*terms.shape[:-1], 8), terms.dtype)
    for start in range(0, terms.shape[-1], 8):
        block = terms[..., start : start + 8]
        lanes[..., : block.shape[-1]] += block
    total = lanes[..., 7]
    for lane in range(6, -1, -1):
        total = total + lanes[..., lane]
    return np.asarray(total)


def compensated(terms: Array) -> Array:
    """One by one, what each addition rounds off being kept and added last (Neumaier 1974)."""
    total, lost = np.zeros((2, *terms.shape[:-1]), terms.dtype)
    for k in range(terms.shape[-1]):
        term = terms[..., k]
        after = total + term
        is_larger = np.abs(total) >= np.abs(term)
        error = np.where(is_larger, (total - after) + term, (term - after) + total)
        total, lost = after, lost + np.where(np.isfinite(after), error, 0)
    return np.asarray(total + lost)


def exactly(terms: Array) -> Array:
    """The exact sum, rounded once (Shewchuk 1997, by `math.fsum`)."""
    if terms.dtype.kind == "c":
        return np.asarray(exactly(terms.real) + 1j * exactly(terms.imag), terms.dtype)
    plain = np.asarray(terms.sum(axis=-1))
    rows, sums = terms.reshape(plain.size, terms.shape[-1]), plain.reshape(-1).copy()
    for i, row in enumerate(rows):
        if np.isfinite(sums[i]):
            sums[i] = math.fsum(row.tolist())
    return sums.reshape(plain.shape)


# ---- arrays that add up so --------------------------------------------------------------------------------


class Summed(np.ndarray[Any, Any]):
    """An array whose sums are taken in an order of their own."""

    total: ClassVar[Callable[[Array], Array]]

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *operands: Any, **keywords: Any) -> Any:
        """Sums and products of matrices in the order of this type, everything else as it is."""
        into = keywords.pop("out", None)
        plain = [x.view(np.ndarray) if isinstance(x, Summed) else x for x in operands]
        own = self._own(ufunc, method, plain, keywords)
        results = getattr(ufunc, method)(*plain, **keywords) if own is None else own
        if method == "at":
            return None
        several = results if isinstance(results, tuple) else (results,)
        for target, result in zip(into or (), several, strict=False):
            target.view(np.ndarray)[...] = result
        outputs = into if into is not None else tuple(map(self._viewed, several))
        return outputs if isinstance(results, tuple) else outputs[0]

    def __array_function__(self, function: Any, types: Any, operands: Any, keywords: Any) -> Any:
        """The contractions in the order of this type; other functions are made of what this type overrides."""
        if function in CONTRACTIONS:
            return self._viewed(CONTRACTIONS[function](type(self), *_plain(operands), **keywords))
        return self._viewed(super().__array_function__(function, types, operands, keywords))

    def _own(
        self, ufunc: np.ufunc, method: str, operands: Sequence[Any], keywords: Mapping[str, Any]
    ) -> Array | None:
        """The result in the order of this type; None where the call adds nothing up."""
        if ufunc in (np.matmul, np.vecdot) and method == "__call__":
            named = keywords.get("axis", -1)
            a, b = (np.asarray(x) for x in operands)
            return multiplied(type(self), a, b) if ufunc is np.matmul else self._dotted(a, b, named)
        is_sum = ufunc is np.add and method == "reduce" and operands[0].dtype.kind in "fc"
        if not is_sum or keywords.get("where", True) is not True or keywords.get("initial") is not None:
            return None
        x = operands[0] if keywords.get("dtype") is None else operands[0].astype(keywords["dtype"])
        sums = self.summed(x, keywords.get("axis", 0))
        return sums.reshape(_kept(x.shape, keywords.get("axis", 0))) if keywords.get("keepdims") else sums

    def _dotted(self, a: Array, b: Array, axis: int) -> Array:
        return self.summed(np.conj(a) * b, axis)

    @classmethod
    def summed(cls, x: Array, axis: Any) -> Array:
        """The sums along the axes."""
        axes = _axes(x.ndim, axis)
        if not axes:
            return np.array(x)  # NumPy's mean divides it in place
        free = [a for a in range(x.ndim) if a not in axes]
        rows = np.transpose(x, (*free, *axes)).reshape(*(x.shape[a] for a in free), -1 if x.size else 0)
        wide = rows.astype(np.float32) if x.dtype == np.float16 else rows
        return np.asarray(cls.total(wide)).astype(x.dtype)

    def _viewed(self, result: Any) -> Any:
        if isinstance(result, (tuple, list)):
            return (
                list(map(self._viewed, result)) if isinstance(result, list) else remade(result, self._viewed)
            )
        array = np.asarray(result)
        return array.view(type(self)) if array.dtype.kind in "fc" else result


def remade(parts: Any, each: Callable[[Any], Any]) -> Any:
    """A tuple, or a named one, of what `each` makes of its parts."""
    made = map(each, parts)
    return parts._make(made) if hasattr(parts, "_make") else tuple(made)


def _plain(operand: Any) -> Any:
    if isinstance(operand, (tuple, list)):
        return type(operand)(map(_plain, operand))
    return operand.view(np.ndarray) if isinstance(operand, Summed) else operand


def _axes(ndim: int, axis: Any) -> tuple[int, ...]:
    named = range(ndim) if axis is None else (axis,) if isinstance(axis, int) else axis
    return tuple(a % ndim for a in named)


def _kept(shape: tuple[int, ...], axis: Any) -> tuple[int, ...]:
    axes = _axes(len(shape), axis)
    return tuple(1 if a in axes else n for a, n in enumerate(shape))


# ---- contractions: NumPy computes them in C, where no order can be chosen ---------------------------------


def multiplied(order: type[Summed], a: Array, b: Array) -> Array:
    """The matrix product; a vector is a row on the left, a column on the right."""
    rows = a[None, :] if a.ndim == 1 else a
    columns = b[:, None] if b.ndim == 1 else b
    product = order.summed(rows[..., :, :, None] * columns[..., None, :, :], -2)
    product = product[..., 0] if b.ndim == 1 else product
    return product if a.ndim > 1 else product[..., 0, :] if b.ndim > 1 else product[..., 0]


def contracted(order: type[Summed], subscripts: str, *operands: Array) -> Array:
    """Einstein's sum: every letter an axis of one product, of which those that the result lacks are added up."""
    terms, result = terms_of(subscripts, operands)
    summed = "".join(dict.fromkeys(c for c in "".join(terms) if c not in result))
    letters = result + summed
    product: Any = 1
    for term, x in zip(terms, operands, strict=True):
        own = "".join(c for c in letters if c in term)
        aligned = np.einsum(
            f"{term}->{own}", x
        )  # the diagonals, and the order of the letters: nothing is added up
        sizes = dict(zip(own, aligned.shape, strict=True))
        product = product * aligned.reshape([sizes.get(c, 1) for c in letters])
    return order.summed(np.asarray(product), tuple(range(len(result), len(letters))))


def over_pairs(order: type[Summed], a: Array, b: Array, pairs: Sequence[tuple[int, int]]) -> Array:
    """The product of two arrays, added up over pairs of their axes."""
    left = [chr(ord("a") + i) for i in range(a.ndim)]
    right = [chr(ord("A") + i) for i in range(b.ndim)]
    for i, j in pairs:
        right[j] = left[i]
    free = [c for i, c in enumerate(left) if i not in {i for i, _ in pairs}]
    free += [c for j, c in enumerate(right) if j not in {j for _, j in pairs}]
    return contracted(order, f"{''.join(left)},{''.join(right)}->{''.join(free)}", a, b)


def tensordotted(order: type[Summed], operands: Sequence[Array], axes: Any = 2) -> Array:
    """`np.tensordot`."""
    a, b = map(np.asarray, operands)
    return over_pairs(order, a, b, tensordot_pairs(a, b, axes))


def dotted(order: type[Summed], a: Any, b: Any, last: int) -> Array:
    """`np.dot` and `np.inner`: the last axis of a with axis `last` of b."""
    a, b = np.asarray(a), np.asarray(b)
    if not a.ndim or not b.ndim:
        return np.asarray(a * b)
    return over_pairs(order, a, b, [(a.ndim - 1, b.ndim + last if b.ndim > 1 else 0)])


def run_up(order: type[Summed], x: Array, axis: Any = None) -> Array:
    """The running sum, every prefix added up by itself."""
    rows = x.reshape(-1) if axis is None else np.moveaxis(x, axis, -1)
    if not rows.size:
        return np.cumsum(x, axis=axis)
    sums = np.stack([order.summed(rows[..., : k + 1], -1) for k in range(rows.shape[-1])], axis=-1)
    return sums if axis is None else np.moveaxis(sums, -1, axis)


CONTRACTIONS: Mapping[Any, Callable[..., Array]] = {
    np.tensordot: lambda order, a, b, axes=2: tensordotted(order, (a, b), axes),
    np.dot: lambda order, a, b: dotted(order, a, b, -2),
    np.inner: lambda order, a, b: dotted(order, a, b, -1),
    np.einsum: contracted,
    np.cumsum: run_up,
}


# ---- the rows ----------------------------------------------------------------------------------------------


def ordered(total: Callable[[Array], Array]) -> type[Summed]:
    """The arrays whose sums are taken by `total`."""
    return type("Summed", (Summed,), {"total": staticmethod(total)})


def summed_by(total: Callable[[Array], Array]) -> Callable[[Op], Op]:
    """Every row, evaluated on arrays whose sums are taken by `total`."""
    order = ordered(total)
    return lambda op: evaluated_on(op, order, op.reference, op.rule)


def evaluated_on(op: Op, order: type[Summed], reference: Callable[..., Any], rule: Callable[..., Any]) -> Op:
    """The row with this reference and rule, evaluated on such arrays unless it is recorded."""

    def viewed(x: Any) -> Any:
        if isinstance(x, tuple):
            return tuple(map(viewed, x))
        array = np.asarray(x)
        return array.view(order) if array.dtype.kind in "fc" else x

    def of_arrays(*operands: Any, **parameters: Any) -> Any:
        return _bare(reference(*map(viewed, operands), **parameters))

    def pulled(index: int, g: Any, z: Any, /, *operands: Any, **parameters: Any) -> Any:
        if is_recorded(g, z, *operands):
            return rule(index, g, z, *operands, **parameters)
        return _bare(rule(index, viewed(g), viewed(z), *map(viewed, operands), **parameters))

    return computed_by(op, of_arrays, pulled)


def _bare(result: Any) -> Any:
    if isinstance(result, tuple):
        return remade(result, _bare)
    return result.view(np.ndarray) if isinstance(result, Summed) else result
