"""A call with other numbers, where those of its form do not show all that it computes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import islice

import numpy as np

from conformance.case import Case
from conformance.checks.e_values.flat_ops import on_jumps
from conformance.op import Op, Trait
from conformance.run.forms import case_of, signature_of
from conformance.run.mapped.shown_values import value_of
from conformance.run.mapped.values import on_every_piece

OTHERS = 4  # calls, and seeds of each, among which one of another sign is looked for


def on_jumps_of(op: Op, case: Case) -> Case | None:
    """A flat op is tried again at the places where it jumps: at halves, whole numbers, and equal operands."""
    if not (op.is_flat and isinstance(op.reference, np.ufunc)):
        return None
    return replace(case, operands=tuple(on_jumps(x) for x in case.operands))


def on_every_piece_of(op: Op, case: Case) -> Case | None:
    """An op of entries is tried again where its operands reach not all of its pieces, as those of relu6 reach no 6."""
    if Trait.ELEMENTWISE not in op.traits:
        return None
    operands = tuple(on_every_piece(x, op.domain(i)) for i, x in enumerate(case.operands))
    is_same = all(new is x for new, x in zip(operands, case.operands, strict=True))
    return None if is_same else replace(case, operands=operands)


def below_margins(op: Op, case: Case) -> Case | None:
    """An op of one image is tried again with negative numbers where it has margins: zeros in them are then the largest."""
    domain, margins = op.domain(0), case.parameters.get("padding", 0)
    if len(case.operands) > 1 or not np.any(margins) or domain.low >= 0 or case.operands[0].dtype.kind != "f":
        return None
    return replace(case, operands=(-np.abs(case.operands[0]),))


OTHER_NUMBERS = (on_jumps_of, on_every_piece_of, below_margins)


def of_another_sign(op: Op, right: Sequence[Case]) -> tuple[Case, int] | None:
    """One of the calls with other numbers and their seed, whose value has a sign that those of all of them lack; None where none was drawn.

    Each entry of an op of entries is drawn with either sign already.
    """
    if Trait.ELEMENTWISE in op.traits:
        return None
    seen = {sign for case in right for sign in _signs(op, case)}
    if len(seen) == len({output for output, _ in seen}) * 2:
        return None
    few = islice((case for case in right if all(x.size for x in case.operands)), OTHERS)
    drawn = ((case_of(op, signature_of(c), c.dtype, seed=n), n) for c in few for n in range(1, OTHERS))
    return next((other for other in drawn if _signs(op, other[0]) - seen), None)


def _signs(op: Op, case: Case) -> set[tuple[int, bool]]:
    """Whether each output that is of real numbers has positive ones, and negative ones."""
    values = [(i, z) for i, z in enumerate(value_of(op, case, {})) if z.dtype.kind == "f"]
    found = [
        (i, is_negative, z < 0 if is_negative else z > 0) for i, z in values for is_negative in (False, True)
    ]
    return {(i, is_negative) for i, is_negative, holds in found if np.any(holds)}
