"""The forms of a call: shapes and parameters of one op that together show most slips of a mapping."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Callable, Mapping
from typing import Any

from conformance.case import Case
from conformance.design.rows import Row
from conformance.op import Op, Signature
from conformance.strategies import build
from conformance.values import TEXTURES

FORMS = 10  # calls of each op
COMPILED_FORMS = 7  # of an engine that compiles each of them
DRAWS = 160  # of its law, from which those calls are chosen
AXES = ("axis", "axes", "source", "destination")  # parameters that are tuples of axes
PAIR = 0.05  # what a new pair of features counts, beside 1 or 3 for a new feature


def forms_of(
    op: Op, count: int = FORMS, is_offered: Callable[[Signature], bool] = lambda signature: True
) -> list[Signature]:
    """Calls that together have every value of every parameter, and every rank, as far as `count` calls can.

    Among calls that show as much, the one with more pairs that were not seen is chosen: many a slip shows only where
    all axes of a matrix are reduced, or a row of entries is repeated. In place of a call that is not offered another
    is chosen, and then as many as there may be: what an engine takes may all look alike here.
    """
    drawn = random.Random(0)
    signatures = [op.law(lambda options: options[0])]
    signatures += [op.law(lambda options: drawn.choice(list(options))) for _ in range(DRAWS)]
    open_signatures = {repr(s): s for s in signatures}
    usual = signatures[0].parameters
    shown = {key: (features(s) | _sizes(s, usual), pairs(s)) for key, s in open_signatures.items()}
    chosen: list[Signature] = []
    seen: set[Any] = set()
    seen_pairs: set[Any] = set()
    are_all_offered = True

    def worth(key: str) -> float:
        single, paired = shown[key]
        return _worth(single - seen) + PAIR * len(paired - seen_pairs)

    while open_signatures and len(chosen) < count:
        best = max(open_signatures, key=worth)
        if len(chosen) >= count // 2 and not worth(best) and are_all_offered:
            break
        signature = open_signatures.pop(best)
        if not is_offered(signature):
            are_all_offered = False
            continue
        chosen.append(signature)
        seen |= shown[best][0]
        seen_pairs |= shown[best][1]
    return chosen


def _worth(new: set[Any]) -> int:
    """How much a call shows that was not seen: a kind of value, such as None or (), counts for more than a number or a rank."""
    return sum(1 if kind == "rank" or is_number(value) else 3 for kind, *_, value in new)


def is_number(value: Any) -> bool:
    """Whether a value, or its text, is that of a number."""
    return isinstance(value, int) or value.lstrip("-").replace(".", "", 1).isdigit()


def features(signature: Signature) -> set[Any]:
    """What a call shows of an op: the rank of each operand, the kind of each parameter's value, an empty operand and a square one."""
    ranks = {("rank", position, len(shape)) for position, shape in enumerate(signature.shapes)}
    has_axes = any(signature.shapes)  # of a 0-d array no axes are all axes
    kinds = {(n, kind_of_value(v)) for n, v in signature.parameters.items() if has_axes or v != ()}
    # A pair of equal numbers does not show which is the first.
    uneven = {
        (n, "uneven", "")
        for n, v in signature.parameters.items()
        if isinstance(v, tuple) and len(set(map(repr, v))) > 1
    }
    falling = {
        (n, "falling", f"from the {'end' if v[0] < 0 else 'start'}")
        for n, v in signature.parameters.items()
        if n in AXES and _falls(v)
    }
    nested = {(n, "nested", "") for n, v in signature.parameters.items() if _has_lists(v)}
    parts = {
        (n, "part", kind_of_part(part))
        for n, v in signature.parameters.items()
        if isinstance(v, tuple)
        for part in v
        if not isinstance(part, int)
    }
    empty = {("entries", "none", _where_empty(signature)) for shape in signature.shapes if 0 in shape}
    # What takes one of its matrices for its transpose raises of any other: of a square one its value shows.
    square = {
        ("rank", position, "equal sides")
        for position, shape in enumerate(signature.shapes)
        if len(signature.shapes) > 1 and len(shape) == 2 and shape[0] == shape[1] > 1
    }
    # Without entries None, or a tuple, shows nothing of gradients, and little of values.
    whole = [n for n, v in signature.parameters.items() if v is None or isinstance(v, tuple)]
    full = set() if empty else {(f"{n} with entries", kind) for n, kind in kinds if n in whole}
    return full | ranks | kinds | uneven | falling | nested | parts | empty | square


def _where_empty(signature: Signature) -> str:
    """Whether the axis along which an op computes is one without entries: beside such an axis the value's shape differs."""
    shape, axis = signature.shapes[0], signature.parameters.get("axis")
    axes = [a for a in (axis if isinstance(axis, tuple) else [axis]) if isinstance(a, int)]
    along = any(-len(shape) <= a < len(shape) and shape[a] == 0 for a in axes)
    return "beside" if axes and not along else "along"


def _sizes(signature: Signature, usual: Mapping[str, Any]) -> set[Any]:
    """Whether several axes are named that have entries to be mixed up, or none of a matrix or of more; whether all operands are alike.

    And whether one pair, such as the margins of an axis, is given for all axes.
    """
    shape, axes = (signature.shapes or ((),))[0], signature.parameters.get("axis")
    named = [a for a in axes if isinstance(a, int)] if isinstance(axes, tuple) else []
    several = len(named) > 1 and all(-len(shape) <= a < len(shape) and shape[a] > 1 for a in named)
    of_matrix = "axis" in signature.parameters and axes is None and len(shape) == 2 and 1 not in shape
    others = [n for n in usual if n not in ("axis", "keepdims")]
    of_matrix &= not others or any(signature.parameters[n] != usual[n] for n in others)
    # An order of two axes is its own inverse, and says as much of the last two as of all.
    left_out = any(n in (*AXES, "axis") and v is None for n, v in signature.parameters.items())
    of_three = left_out and len(shape) > 2 and shape[0] > 1 and math.prod(shape[1:]) > 1
    cyclic = any(n in AXES and _is_cyclic(v, len(shape)) for n, v in signature.parameters.items())
    alike = len(signature.shapes) > 1 and len(set(signature.shapes)) == 1 and len(shape) > 1
    one_for_all = len(shape) > 1 and any(map(_is_one_pair, signature.parameters.values()))
    found = {
        ("pairs", "one for all axes", ""): one_for_all,
        ("axis", "several", ""): several,
        ("axis", "of a matrix", ""): of_matrix,
        ("axes", "of three that are left out", ""): of_three,
        ("axes", "an order that is not its own inverse", ""): cyclic,
        ("operands", "alike", ""): alike,
    }
    return {name for name, holds in found.items() if holds}


def _is_cyclic(value: Any, rank: int) -> bool:
    """Whether a value is an order of all axes that its inverse is not."""
    if not isinstance(value, tuple) or not all(isinstance(a, int) for a in value):
        return False
    order = [a % rank for a in value] if rank else []
    return sorted(order) == list(range(rank)) and any(order[a] != i for i, a in enumerate(order))


def _is_one_pair(value: Any) -> bool:
    return isinstance(value, tuple) and len(value) == 1 and isinstance(value[0], tuple)


def pairs(signature: Signature) -> set[Any]:
    """Pairs of what a call shows: of a rank with a kind of value, and of two kinds of values."""
    if any(math.prod(shape) < 2 for shape in signature.shapes):
        return set()  # of one entry, or of none, little can be mixed up
    entries = [min(len(shape), 2) for shape in signature.shapes]
    kinds = sorted((n, _coarse(v)) for n, v in signature.parameters.items())
    ranks = [("rank", position, rank) for position, rank in enumerate(entries)]
    return set(itertools.combinations([*ranks, *kinds], 2))


def _coarse(value: Any) -> str:
    """The kind of a value; a number by its sign, since every axis of every rank would be another kind."""
    if isinstance(value, int) and not isinstance(value, bool):
        return "0" if value == 0 else "1" if value == 1 else "int" if value > 0 else "-int"
    if isinstance(value, tuple) and value and set(map(repr, value)) == {"0"}:
        return "tuple of 0"  # a margin of nothing hides what other parameters say of margins
    return kind_of_value(value)


def kind_of_part(part: Any) -> str:
    """A part of an index: what it is, a list by what is in it, a slice by its direction."""
    if isinstance(part, list):
        return f"list of {type(part[0]).__name__ if part else 'nothing'}"
    if isinstance(part, slice):
        return "reversed slice" if (part.step or 1) < 0 else "slice"
    return type(part).__name__


def _falls(axes: Any) -> bool:
    """Whether axes, all counted from one end, are not in ascending order: some engines sort them, or insert one after the other."""
    numbers = [axis for axis in axes if isinstance(axis, int)] if isinstance(axes, tuple) else []
    return numbers != sorted(numbers) and len({axis < 0 for axis in numbers}) == 1


def _has_lists(value: Any) -> bool:
    """Whether it is a list of lists, as indices of several axes are."""
    return isinstance(value, list) and any(isinstance(part, list) for part in value)


def kind_of_value(value: Any) -> str:
    """A parameter value as the class of those that an engine may lack: a sequence by its type, anything else itself.

    So is an empty one, which many engines take for "all".
    """
    return type(value).__name__ if isinstance(value, (tuple, list)) and value else repr(value)


def case_of(op: Op, signature: Signature, dtype: str, *, texture: str = TEXTURES[0], seed: int = 0) -> Case:
    """A case of a signature, with moderate numbers if no other texture is named, in C order."""
    return build(op, Row(signature), dtype, texture=texture, upstream="signed", layouts=["C"], seed=seed)


def signature_of(case: Case) -> Signature:
    """The shapes and parameters of a case."""
    return Signature(tuple(x.shape for x in case.operands), case.parameters, case.domains)
