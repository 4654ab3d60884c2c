"""Random numbers of every magnitude of a dtype: each by itself, or all of an array by one factor, or far from zero together."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from conformance.dtype import finfo
from conformance.op import Domain, OperandKind, Shape

Array = np.ndarray[Any, Any]
Generator = np.random.Generator

STEP = 1 / 8  # of the grid on which ordinary numbers lie
DISTINCT_BELOW = 5  # a power of two: distinct numbers so far below the normal ones are exact
NEAR_ONE = (-5, 10)  # exponents: where exp, and what is made of it, saturates and overflows
LEAST_OFFSET = 4  # its exponent: ordinary numbers lie within it


def of_any_magnitude(domain: Domain, shape: Shape, dtype: str, texture: str, rng: Generator) -> Array:
    """Numbers whose distance from zero, or an end or a kink of the domain, is of any magnitude: from an ulp to the other end."""
    count = shape if texture == "swept" else (1,) * len(shape)
    marks = {0.0, domain.low, domain.high, *domain.kinks}
    anchor = rng.choice(
        [x for x in sorted(marks) if abs(x) < math.inf and domain.low <= x <= domain.high], count
    )
    up = np.where(anchor < domain.high, rng.random(shape) < 0.5, False) | (anchor <= domain.low)
    reach = np.minimum(np.where(up, domain.high - anchor, anchor - domain.low), float(finfo(dtype).max))
    (low, high), last_place = _exponents(dtype), np.spacing(np.abs(anchor).astype(dtype)).astype(float)
    nearest = np.where(anchor == 0, low, np.log2(last_place) + 1)
    furthest = np.minimum(high, np.floor(np.log2(reach)) - 1)
    distance = np.ldexp(rng.uniform(1, 2, shape), _middling(nearest, furthest, rng, count))
    values = np.array(np.where(up, anchor + distance, anchor - distance), dtype=dtype)
    # What is counted from one mark may round to another, where the op has no slope.
    beside = anchor + np.ldexp(np.where(up, 1.5, -1.5), nearest.astype(int))
    return np.array(np.where(np.isin(values.astype(float), domain.kinks), beside, values), dtype)


def _middling(low: Any, high: Any, rng: Generator, count: Shape) -> Array:
    """Exponents between two, half of them near that of one: there tails begin, and thresholds of functions lie."""
    side = rng.uniform(-1, 1, count)
    middle = np.minimum(high, 0)
    anywhere = middle + np.abs(side) ** 3 * (np.where(side < 0, low, high) - middle)
    near = np.clip(rng.uniform(*NEAR_ONE, count), low, high)
    return np.rint(np.where(rng.random(count) < 0.5, near, anywhere)).astype(int)


def _exponents(dtype: str) -> tuple[int, int]:
    """The least and the largest exponent of operands: a few entries add up, and none is subnormal."""
    return finfo(dtype).minexp + 1, finfo(dtype).maxexp - 8


def scaled(values: Array, dtype: str, rng: Generator) -> Array:
    """All of the numbers times one power of two, by which none overflows."""
    low, high = _exponents(dtype)
    largest = int(np.frexp(np.abs(values.astype(float)).max(initial=0))[1])
    exponent = _middling(low, min(high, finfo(dtype).maxexp - 1 - largest), rng, ())
    return np.array(np.ldexp(values, exponent), dtype=dtype)


def with_subnormals(domain: Domain, values: Array, dtype: str, rng: Generator) -> Array:
    """The numbers, half of them replaced by subnormal ones that an ulp does not take to zero; distinct ones all scaled to such."""
    least, digits = finfo(dtype).minexp, int(finfo(dtype).nmant)
    if domain.kind is OperandKind.DISTINCT:
        is_exact = digits > DISTINCT_BELOW - math.log2(STEP)
        return np.array(np.ldexp(values, least - DISTINCT_BELOW), dtype=dtype) if is_exact else values
    exponents = rng.integers(least - digits + 3, least, values.shape)
    signs = [sign for sign, is_open in ((-1, domain.low < 0), (1, domain.high > 0)) if is_open]
    subnormal = rng.choice(signs, values.shape) * np.ldexp(rng.uniform(1, 2, values.shape), exponents)
    return np.array(np.where(rng.random(values.shape) < 0.5, subnormal, values), dtype=dtype)


def shifted(values: Array, domain: Domain, dtype: str, rng: Generator) -> Array:
    """Ordinary numbers, all moved by one power of two, beside which they keep half of their digits at least.

    A difference of large numbers is then what a variance, a norm or a distance of them is made of.
    """
    furthest = int(finfo(dtype).nmant) // 2
    signs = [sign for sign, end in ((-1, domain.low), (1, domain.high)) if abs(end) == math.inf]
    if not signs:
        return values
    offset = math.ldexp(rng.choice(signs), int(rng.integers(LEAST_OFFSET, max(furthest, LEAST_OFFSET) + 1)))
    return np.array(values.astype(float) + offset, dtype=dtype)
