"""What holds of a row, found from its reference and its rule alone: no declared trait is read."""

from __future__ import annotations

import itertools
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np

from conformance.case import Case
from conformance.errors import ConformanceError
from conformance.op import Op
from conformance.ops.reductions import axes_of
from conformance.oracle.proof import prove
from conformance.oracle.second_order import is_smooth
from conformance.strategies.cases import draw_cases
from conformance.strategies import Effort

from .values import operands, random_chooser

SIGNATURES = 24
FACTORS = (0.25, 8.0)  # the larger one brings every operand past the kinks of the catalogue
SHIFTS = (1.0, -1.5)
CLOSE = 1e-12
COMPLEX_EFFORT = Effort(8, 2, 1, 1)

Call = tuple[list[Any], Mapping[str, Any]]


@cache
def calls(op: Op) -> tuple[Call, ...]:
    """Operands in extended precision, and parameters; only calls with entries that go in and come out."""
    drawn = []
    for number in range(SIGNATURES):
        seed = zlib.crc32(f"{op.name} {number}".encode())
        signature = op.law(random_chooser(seed))
        arrays = [x.astype(np.longdouble) if x.dtype.kind == "f" else x for x in operands(op, signature, seed)]
        if all(x.size for x in arrays) and all(z.size for z in value(op, arrays, signature.parameters)):
            drawn.append((arrays, signature.parameters))
    assert drawn
    return tuple(drawn)


def value(op: Op, arrays: Sequence[Any], parameters: Mapping[str, Any]) -> list[Any]:
    """The outputs of a call."""
    with np.errstate(all="ignore"):
        z = op.reference(*arrays, **parameters)
    return [np.asarray(part) for part in (z if op.has_several_outputs else (z,))]


def is_close(got: Sequence[Any], expected: Sequence[Any]) -> bool:
    """Whether all outputs agree to a few digits less than extended precision has."""
    return all(
        g.shape == e.shape and bool((np.abs(g - e) <= CLOSE * (1 + np.abs(e).max(initial=0))).all())
        for g, e in zip(got, expected, strict=True)
    )


def subsets(op: Op) -> list[tuple[int, ...]]:
    """The non-empty sets of differentiable operands; of a variadic op all operands, or the first."""
    indices = [i for i in range(len(op.domains)) if op.is_differentiable(i)]
    return [s for n in range(1, len(indices) + 1) for s in itertools.combinations(indices, n)]
