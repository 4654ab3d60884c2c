"""Numbers all over a domain, for one long array: of every magnitude, on both sides of every mark, and whole and half numbers.

A few random numbers of any magnitude meet a function's branch by luck; some hundred, drawn by what there is, do not miss it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from conformance.dtype import finfo
from conformance.op import Domain

Array = np.ndarray[Any, Any]
Generator = np.random.Generator

COUNT = 512  # numbers of one sweep
COMMON = (-30, 24)  # the exponents between which series begin and end: a half of all numbers lie there
PLANE = (-40, 6)  # the exponents of complex numbers' sizes
WHOLE = 70  # whole and half numbers go so far: farther than the bits of an integer
AS_LARGE = 1 / 4  # of pairs: the second number is about as large as the first


def sweep(domains: Sequence[Domain], dtype: str, rng: Generator) -> list[Array]:
    """One array for each operand, of COUNT numbers inside its domain, none of them a kink."""
    first, *others = [_numbers(domain, dtype, rng) for domain in domains]
    swept = [first]
    for other, domain in zip(others, domains[1:], strict=True):
        near = np.abs(first.astype(float)) * rng.uniform(0.5, 2, COUNT) * np.sign(other.astype(float))
        is_near = (rng.random(COUNT) < AS_LARGE) & _is_inside(near.astype(dtype), domain)
        swept.append(np.where(is_near, near.astype(dtype), other))
    return _with_zeros(swept, domains, rng)


def _with_zeros(swept: Sequence[Array], domains: Sequence[Domain], rng: Generator) -> list[Array]:
    """The same with both zeros in every operand that has them inside its domain, each where no other operand is zero."""
    free = iter(rng.spawn(1)[0].permutation(np.flatnonzero(np.all(swept, axis=0))))
    for numbers, domain in zip(swept, domains, strict=True):
        if domain.low < 0 < domain.high and 0.0 not in domain.kinks:
            numbers[next(free)], numbers[next(free)] = 0.0, -0.0
    return list(swept)


def complex_sweep(domains: Sequence[Domain], dtype: str, rng: Generator) -> list[Array]:
    """The same of complex numbers: of every size and direction, on the right alone where the domain is."""
    return [_complex_numbers(domain, rng).astype(dtype) for domain in domains]


def _complex_numbers(domain: Domain, rng: Generator) -> Array:
    sizes = np.ldexp(rng.uniform(1, 2, COUNT), rng.integers(*PLANE, COUNT))
    numbers = sizes * np.exp(1j * rng.uniform(-np.pi, np.pi, COUNT))
    return np.asarray(np.where(numbers.real < 0, -numbers, numbers) if domain.low == 0 else numbers)


def ends(domain: Domain) -> list[float]:
    """The ends of a domain and its kinks, both zeros, both ones, and the infinities, as far as the closed domain has them."""
    marks = {domain.low, domain.high, *domain.kinks, 0.0, 1.0, -1.0}
    found = [float(mark) for mark in sorted(marks) if domain.low <= mark <= domain.high]
    return [*found, -0.0] if domain.low < 0 < domain.high else found


def _numbers(domain: Domain, dtype: str, rng: Generator) -> Array:
    """COUNT numbers in a random order: some of every exponent, more of the common ones, and whole and half ones."""
    marks = {0.0, domain.low, domain.high, *domain.kinks}
    anchors = np.array([x for x in sorted(marks) if abs(x) < math.inf and domain.low <= x <= domain.high])
    exact = np.arange(-WHOLE, WHOLE + 1) / 2 if rng.random() < 0.5 else np.arange(-WHOLE, WHOLE + 1) * 1.0
    parts = [x[_is_inside(x, domain)] for x in (exact.astype(dtype), _around(anchors, dtype, rng))]
    kept = rng.permutation(parts[0])[: COUNT // 4]
    rest = rng.permutation(parts[1])[: COUNT - len(kept)]
    return rng.permutation(np.resize(np.concatenate([kept, rest]), COUNT))


def _around(anchors: Array, dtype: str, rng: Generator) -> Array:
    """Numbers at distances of every magnitude from the anchors, on both sides."""
    least, most = finfo(dtype).minexp + 1, finfo(dtype).maxexp - 2
    found = []
    for anchor in anchors:
        nearest = least if anchor == 0 else int(np.log2(np.spacing(np.abs(anchor).astype(dtype)))) + 1
        common = np.arange(max(nearest, COMMON[0]), min(COMMON[1], most))
        rare = np.arange(nearest, most)
        chosen = rng.choice(rare, min(len(rare), COUNT // 2), replace=False)
        exponents = np.concatenate([np.repeat(common, max(1, COUNT // max(1, 2 * len(common)))), chosen])
        distance = np.ldexp(rng.uniform(1, 2, exponents.shape), exponents)
        found += [anchor + distance, anchor - distance]
    return np.concatenate(found).astype(dtype)


def _is_inside(x: Array, domain: Domain) -> Array:
    values = x.astype(float)
    is_inside = (domain.low < values) & (values < domain.high)
    return np.asarray(is_inside & np.isfinite(values) & ~np.isin(values, domain.kinks))
