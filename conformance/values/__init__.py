"""Random numbers for operands, for cotangents.

Numbers lie on a coarse grid, so that failures read well and ties and kinks are avoided by
construction; a `full` texture then perturbs each by less than half a step. Two textures have numbers of
any magnitude instead, over the whole range of exponents of a dtype; one has all far from zero, one subnormal numbers among ordinary ones.

A complex number has its real part in the domain and its imaginary part in a strip so narrow that no
pole and no branch cut of the catalogue's functions reaches into it. What is defined for positive numbers has its cut
along the others: there the texture `wide` has numbers on both sides of the imaginary axis, beside the cut.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from conformance.dtype import finfo
from conformance.op import POSITIVE, Domain, OperandKind, Shape
from conformance.values.far import STEP, of_any_magnitude, scaled, shifted, with_subnormals

Array = np.ndarray[Any, Any]
Generator = np.random.Generator

TEXTURES = ("round", "full", "zeros", "wide", "whole", "repeated")
FAR = ("swept", "scaled")  # a magnitude for every number; one for each array
SUBNORMAL = "subnormal"  # every other number is below the normal ones
SHIFTED = "shifted"  # ordinary numbers, all moved far from zero by the same
STEEP = "steep"  # ordinary numbers, whose cotangents are near the largest number of the type
MAGNITUDES = (*FAR, *FAR, SHIFTED, SUBNORMAL, STEEP)  # in turn: most are of those that have most to find
COTANGENTS = ("signed", "full", "one-hot", "sparse", "large", "constant")
MODERATE = tuple(name for name in COTANGENTS if name != "large")  # where the operands are large already
NEAR_THE_LARGEST = 16  # a power of two below the largest number, so that a thousand cotangents add up
JITTER = 0.4  # of a step; below one half, so that adjacent grid points never meet
# Of imaginary parts: atan has its poles at ±i, every other function's are further from the real axis.
STRIP = Domain(low=-0.875, high=0.875)


def operands(
    domains: Sequence[Domain], shapes: Sequence[Shape], dtype: str, texture: str, rng: Generator
) -> tuple[Array, ...]:
    """One array per operand, inside its domain and away from its kinks."""
    if is_complex(dtype):
        part = np.finfo(dtype).dtype.name
        real = operands(domains, shapes, part, texture, rng)
        return tuple(
            _in_the_plane(domain, x, _real(STRIP, x.shape, part, texture, rng), texture, rng)
            if domain.is_differentiable
            else x
            for x, domain in zip(real, domains, strict=True)
        )
    sizes = [int(np.prod(shape)) for shape in shapes]
    kinds = [domain.kind for domain in domains]
    count = sum(n for n, k in zip(sizes, kinds, strict=True) if k is OperandKind.DISTINCT)
    distinct = iter(_distinct(count, dtype, rng))
    drawn = []
    for domain, shape, size in zip(domains, shapes, sizes, strict=True):
        if domain.kind is OperandKind.DISTINCT:
            values = np.array([next(distinct) for _ in range(size)]).reshape(shape)
            if domain.kinks:
                values = _of_distinct_size(values, dtype, rng)
            drawn.append(_kept_apart(values, _textured(values, STEP, texture, rng), dtype))
        elif texture in FAR and domain.kind is OperandKind.REAL:
            drawn.append(of_any_magnitude(domain, shape, dtype, texture, rng))
        else:
            drawn.append(_MAKERS[domain.kind](domain, shape, dtype, texture, rng))
        if texture == SHIFTED and domain.kind is OperandKind.REAL:
            drawn[-1] = shifted(drawn[-1], domain, dtype, rng)
        if texture == SUBNORMAL and domain.kind in _MIXED and domain.low <= 0 <= domain.high:
            drawn[-1] = with_subnormals(domain, drawn[-1], dtype, rng)
        if texture in FAR and domain.kind in _SCALED:
            drawn[-1] = scaled(drawn[-1], dtype, rng)
    return tuple(drawn)


def _in_the_plane(domain: Domain, x: Array, y: Array, texture: str, rng: Generator) -> Array:
    """Complex numbers with these parts; of a half-line some are mirrored to the other side, but those at the cut."""
    if texture == "wide" and domain == POSITIVE:
        x = np.where((rng.random(x.shape) < 0.5) & (np.abs(y) >= STEP), -x, x)
    return joined(x, y)


def cotangent(shape: Shape, dtype: str, texture: str, rng: Generator) -> Array:
    """A cotangent: signed, so that neither a sign nor a permutation can hide."""
    if is_complex(dtype):
        part = np.finfo(dtype).dtype.name
        return joined(*(cotangent(shape, part, texture, rng) for _ in range(2)))
    values = rng.integers(1, 13, shape) * rng.choice((-0.25, 0.25), shape)
    if texture == "full":
        values = rng.standard_normal(shape)
    elif texture == "one-hot" and np.size(values):
        hot = rng.integers(np.size(values))
        values = np.where(np.arange(np.size(values)).reshape(shape) == hot, values, 0.0)
    elif texture == "sparse":
        kept = rng.random(shape) < 0.5
        values = np.where(kept, values, 0.0) if kept.any() else values  # one of zeros decides nothing
    elif texture == "large":
        values = values * 2.0 ** min(20, finfo(dtype).maxexp // 4)  # products of two stay in range
    elif texture == "largest":
        values = values * 2.0 ** (finfo(dtype).maxexp - min(NEAR_THE_LARGEST, finfo(dtype).maxexp // 2))
    elif texture == "constant":
        values = np.broadcast_to(values.flat[0] if np.size(values) else 0.0, shape)
    if np.size(values) and np.all(np.equal(values, 1)):
        values = values * 0.75  # a rule that forgets its cotangent is right for ones
    return np.array(values, dtype=dtype, order="C")


def is_complex(dtype: Any) -> bool:
    """Whether a dtype is complex."""
    return bool(np.dtype(dtype).kind == "c")


def joined(real: Array, imaginary: Array) -> Array:
    """Complex numbers with these parts, in their precision."""
    return np.asarray(real + 1j * imaginary)


def direction(domain: Domain, shape: Shape, dtype: str, rng: Generator) -> Array:
    """A signed direction in which an operand of the domain can be perturbed; symmetric for a symmetric operand.

    Its entries have all the digits of the dtype: an engine that rounds them to fewer is noticed.
    """
    values = cotangent(shape, dtype, "signed", rng)
    values = np.array(values * rng.uniform(1 - JITTER, 1 + JITTER, shape), dtype=dtype)
    if domain.kind is OperandKind.POSITIVE_DEFINITE:
        return np.array(values + np.swapaxes(values, -1, -2), dtype=dtype)
    return values


def _grid(domain: Domain, texture: str) -> tuple[Array, float]:
    """The grid points inside a domain, and their distance."""
    reach = 16.0 if texture == "wide" else 3.0
    low, high = max(domain.low, -reach), min(domain.high, reach)
    step = min(STEP, (high - low) / 16)
    points = low + step * np.arange(1, round((high - low) / step))
    for kink in domain.kinks:
        points = points[np.abs(points - kink) > step / 2]
    return points, step


def _textured(values: Array, step: float, texture: str, rng: Generator) -> Array:
    return values + rng.uniform(-JITTER, JITTER, values.shape) * step if texture == "full" else values


def _real(domain: Domain, shape: Shape, dtype: str, texture: str, rng: Generator) -> Array:
    points, step = _grid(domain, texture)
    if texture == "whole" and (whole := points[points == np.rint(points)]).size:
        points = whole
    values = _textured(rng.choice(points, () if texture == "repeated" else shape), step, texture, rng)
    values = np.broadcast_to(values, shape)
    if texture == "zeros" and domain.low < 0 < domain.high and 0.0 not in domain.kinks:
        values = np.where(rng.random(shape) < 0.5, 0.0, values)
    return np.array(values, dtype=dtype, order="C")


def _distinct(count: int, dtype: str, rng: Generator) -> Array:
    """That many different numbers of the type around zero, shuffled."""
    points = _ascending(count + 1, dtype)
    return rng.permutation(np.concatenate([-points[::-1], [0.0], points]))[:count]


def _of_distinct_size(values: Array, dtype: str, rng: Generator) -> Array:
    """As many numbers, no two of the same absolute value."""
    sizes = rng.permutation(_ascending(2 * values.size + 3, dtype))[: values.size]
    return np.reshape(sizes * rng.choice((-1, 1), sizes.shape), values.shape)


def _ascending(count: int, dtype: str) -> Array:
    """The first positive grid points; beyond those that the type can tell apart, all its numbers."""
    index, half = np.arange(1, count + 1), 2 ** int(finfo(dtype).nmant)
    octave = np.maximum(index // half - 1, 0)
    points: Array = STEP * 2.0**octave * (index - octave * half)
    return points


def _kept_apart(points: Array, jittered: Array, dtype: str) -> Array:
    """The jittered points in a type, or the points themselves where the type is too coarse to keep them apart."""
    last_places = np.spacing(np.abs(points).astype(dtype)).astype(float)
    return np.array(np.where(last_places < (1 - 2 * JITTER) * STEP, jittered, points), dtype=dtype)


def _invertible(domain: Domain, shape: Shape, dtype: str, texture: str, rng: Generator) -> Array:
    """Well-conditioned matrices; those of the textures that repeat numbers have singular values that repeat.

    They are multiples of permutations with signs, or diagonal: a rule by singular values divides by differences of them.
    Others are triangular, or diagonal where singular values must differ, for which engines have shortcuts.
    """
    if domain.rows:
        count = math.prod(shape[axis] for axis in domain.rows)
        matrix = _invertible(replace(domain, rows=()), (count, count), dtype, texture, rng)
        return np.array(domain.as_tensor(matrix, shape), order="C")
    if texture in _SINGULAR_VALUES and not domain.is_separated:
        rows = rng.permuted(np.broadcast_to(np.arange(shape[-1]), shape[:-1]), axis=-1)
        places = rows if texture == "repeated" else np.broadcast_to(np.arange(shape[-1]), shape[:-1])
        signs = rng.choice((-1, 1), (*shape[:-1], 1))
        values = signs * _singular_values(shape, texture, rng)
        return _turned(domain, np.array(np.eye(shape[-1])[places] * values + 0.0, dtype))
    steps = rng.integers(-8, 9, shape)
    steps[(steps == 0) & (0.0 in domain.kinks)] = 1
    entries = _thinned(domain, _textured(steps * STEP, STEP, texture, rng), texture)
    diagonal = far_apart(shape, rng) if domain.is_separated else (1 + (n := shape[-1])) * np.eye(shape[-2], n)
    return _turned(domain, np.array(entries + rng.choice((-1, 1)) * diagonal, dtype=dtype))


def _thinned(domain: Domain, entries: Array, texture: str) -> Array:
    """The entries, of which those on one side of the diagonal are zero by some textures, or all, unless 0 is a kink."""
    if 0.0 in domain.kinks:
        return entries
    if domain.is_separated and texture == "zeros":
        return np.zeros_like(entries)
    return _TRIANGLES[texture](entries) if texture in _TRIANGLES else entries


def _turned(domain: Domain, matrices: Array) -> Array:
    """The matrices, of which some have the first row negated where the domain is one of positive determinants."""
    if domain.has_positive_determinant and matrices.size:
        is_negative = np.linalg.det(matrices.astype(float)) < 0
        matrices[..., 0, :] *= np.where(is_negative, -1, 1).astype(matrices.dtype)[..., None]
    return matrices


def far_apart(shape: Shape, rng: Generator) -> Array:
    """A diagonal whose entries are so far apart that adding entries of at most 1 leaves the singular values apart.

    The norm of random entries grows with the roots of the matrix's sides (Vershynin 2018, theorem 4.4.5).
    """
    spacing, count = math.ceil(1.5 * sum(map(math.sqrt, shape[-2:]))), min(shape[-2:])
    diagonal = np.zeros(shape[-2:])
    diagonal[np.arange(count), np.arange(count)] = spacing * rng.permutation(np.arange(1, count + 1))
    return diagonal


def _positive_definite(domain: Domain, shape: Shape, dtype: str, texture: str, rng: Generator) -> Array:
    if texture in _SINGULAR_VALUES and not domain.is_separated:
        return np.array(np.eye(shape[-1]) * _singular_values(shape, texture, rng), dtype=dtype)
    root = _textured(rng.integers(-8, 9, shape) * STEP, STEP, texture, rng)
    if domain.is_separated:
        root = np.zeros_like(root) if texture == "zeros" else root
        return np.array((root + np.swapaxes(root, -1, -2)) / 2 + far_apart(shape, rng), dtype=dtype)
    return np.array(root @ np.swapaxes(root, -1, -2) + (1 + shape[-1]) * np.eye(shape[-1]), dtype=dtype)


def _singular_values(shape: Shape, texture: str, rng: Generator) -> Array:
    """A factor for each row of a matrix: one for all of them, or two in turn."""
    values = rng.integers(8, 25, (*shape[:-2], 2, 1)) * STEP
    return np.take(values, np.arange(shape[-2]) % (2 if texture == "zeros" else 1), axis=-2)


def _boolean(domain: Domain, shape: Shape, dtype: str, texture: str, rng: Generator) -> Array:
    return np.array(rng.random(shape) < 0.5)


def _index(domain: Domain, shape: Shape, dtype: str, texture: str, rng: Generator) -> Array:
    return spread_indices(np.array(rng.integers(int(domain.low), int(domain.high), shape)), domain)


def spread_indices(indices: Array, domain: Domain) -> Array:
    """The indices, of which one is the next where all were one: an op that leaves out one index then keeps some."""
    low, count = int(domain.low), int(domain.high - domain.low)
    if indices.size > 1 and count > 1 and (indices == indices.flat[0]).all():
        indices.flat[-1] = low + (indices.flat[0] - low + 1) % count
    return indices


_SINGULAR_VALUES = ("zeros", "repeated")  # the textures whose matrices have singular values that repeat
_TRIANGLES = {"whole": np.triu, "wide": np.tril}
_MIXED = (OperandKind.REAL, OperandKind.DISTINCT)
_SCALED = (OperandKind.DISTINCT, OperandKind.INVERTIBLE, OperandKind.POSITIVE_DEFINITE)

_MAKERS = {
    OperandKind.REAL: _real,
    OperandKind.INVERTIBLE: _invertible,
    OperandKind.POSITIVE_DEFINITE: _positive_definite,
    OperandKind.BOOLEAN: _boolean,
    OperandKind.INDEX: _index,
}
