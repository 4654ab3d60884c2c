"""Values for the operands of a signature, drawn from a seeded generator."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import numpy as np

from conformance.op import Domain, Op, OperandKind, Signature, T
from conformance.values import far_apart, spread_indices

CLEARANCE = 1 / 16  # how far values stay from kinks and ends of a domain


def random_chooser(seed: int) -> Any:
    """A `choose` that draws."""
    draw = random.Random(seed)

    def choose(options: Sequence[T], /) -> T:
        return draw.choice(list(options))

    return choose


def real(rng: np.random.Generator, domain: Domain, shape: tuple[int, ...]) -> Any:
    """Numbers of the domain, none within the clearance of a kink or an end."""
    low = max(domain.low + CLEARANCE, min(-2.0, domain.high - 1))
    high = min(domain.high - CLEARANCE, max(domain.low, -2.0) + 4.0, 6.0)
    values = rng.uniform(low, high, shape)
    for kink in domain.kinks:
        side = np.where(values < kink, -CLEARANCE, CLEARANCE)
        values = np.where(abs(values - kink) < CLEARANCE, kink + side, values)
    return values


def operands(op: Op, signature: Signature, seed: int) -> list[Any]:
    """One array for each operand, in double precision; distinct operands share one shuffled grid."""
    rng = np.random.default_rng(seed)
    domains = signature.domains or [op.domain(i) for i in range(len(signature.shapes))]
    sizes = [
        int(np.prod(s)) if d.kind is OperandKind.DISTINCT else 0
        for s, d in zip(signature.shapes, domains, strict=True)
    ]
    grid = list((rng.permutation(sum(sizes)) - sum(sizes) // 2) / 8 + 1 / 16)
    arrays = []
    for shape, domain in zip(signature.shapes, domains, strict=True):
        if domain.kind is OperandKind.DISTINCT:
            values = np.array([grid.pop() for _ in range(int(np.prod(shape)))]).reshape(shape)
            # Distinct by their sizes too, where 0 is a kink: the positive ones moved by a quarter of a step.
            arrays.append(values + (values > 0) / 32 if domain.kinks else values)
        elif domain.kind is OperandKind.BOOLEAN:
            arrays.append(rng.random(shape) < 0.5)
        elif domain.kind is OperandKind.INDEX:
            arrays.append(
                spread_indices(np.array(rng.integers(int(domain.low), int(domain.high), shape)), domain)
            )
        elif domain.is_separated:
            entries = rng.uniform(-1, 1, shape)
            symmetric = domain.kind is OperandKind.POSITIVE_DEFINITE
            entries = (entries + np.swapaxes(entries, -1, -2)) / 2 if symmetric else entries
            arrays.append(entries + far_apart(shape, rng))
        elif domain.kind is OperandKind.INVERTIBLE:
            arrays.append(rng.uniform(-1, 1, shape) + (shape[-1] + 1) * np.eye(shape[-2], shape[-1]))
        elif domain.kind is OperandKind.POSITIVE_DEFINITE:
            root = rng.uniform(-1, 1, shape)
            arrays.append(root @ root.swapaxes(-1, -2) + shape[-1] * np.eye(shape[-1]))
        else:
            arrays.append(real(rng, domain, shape))
    return arrays
