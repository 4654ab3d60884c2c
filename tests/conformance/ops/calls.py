"""Calls of a row in extended precision, their values and their gradients."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np

from conformance.op import Op

from .values import operands, random_chooser

SIGNATURES = 24
CLOSE = 1e-12
# What a reference raises for operands that it cannot take, or warns of.
DOES_NOT_FIT = (AttributeError, IndexError, TypeError, ValueError, Warning, ZeroDivisionError)

Arrays = Sequence[Any]
Call = tuple[list[Any], Mapping[str, Any]]


@cache
def calls(op: Op) -> tuple[Call, ...]:
    """Operands in extended precision, and parameters, of calls in which no operand and no output is empty."""
    drawn = []
    for number in range(SIGNATURES):
        seed = zlib.crc32(f"{op.name} {number}".encode())
        signature = op.law(random_chooser(seed))
        arrays = [
            x.astype(np.longdouble) if x.dtype.kind == "f" else x for x in operands(op, signature, seed)
        ]
        if all(x.size for x in arrays) and all(z.size for z in outputs(op, arrays, signature.parameters)):
            drawn.append((arrays, signature.parameters))
    assert drawn
    return tuple(drawn)


def outputs(op: Op, arrays: Arrays, parameters: Mapping[str, Any]) -> list[Any]:
    with np.errstate(all="ignore"):
        z = op.reference(*arrays, **parameters)
    return [np.asarray(part) for part in (z if op.has_several_outputs else (z,))]


def gradients(op: Op, arrays: Arrays, parameters: Mapping[str, Any], **seen: Any) -> list[Any]:
    """The rule's gradients for seeded cotangents; `seen` gives the operands or the output that the rule is shown."""
    z = outputs(op, arrays, parameters)
    rng = np.random.default_rng(7)
    g = [rng.uniform(-2, 2, part.shape).astype(np.longdouble) for part in z]
    shown = seen.get("output", z)
    given = (tuple(g), tuple(shown)) if op.has_several_outputs else (g[0], shown[0])
    with np.errstate(all="ignore"):
        return [
            np.asarray(op.rule(i, *given, *seen.get("operands", arrays), **parameters))
            for i in differentiable(op, len(arrays))
        ]


def differentiable(op: Op, count: int) -> list[int]:
    return [i for i in range(count) if op.is_differentiable(i)]


def are_close(got: Arrays, expected: Arrays) -> bool:
    return all(
        g.shape == e.shape and bool((np.abs(g - e) <= CLOSE * (1 + np.abs(e).max(initial=0))).all())
        for g, e in zip(got, expected, strict=True)
    )


def changed(arrays: Arrays, indices: Sequence[int], change: Callable[[Any], Any]) -> list[Any]:
    return [change(x) if i in indices else x for i, x in enumerate(arrays)]
