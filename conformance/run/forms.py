"""The forms of a call: shapes and parameters of one op that together show most slips of a mapping."""

from __future__ import annotations

import random
from typing import Any

from conformance.case import Case
from conformance.design.rows import Row
from conformance.op import Op, Signature
from conformance.strategies import build
from conformance.values import TEXTURES

FORMS = 8  # calls of each op: an engine may compile each
DRAWS = 160  # of its law, from which those calls are chosen


def forms_of(op: Op, count: int = FORMS) -> list[Signature]:
    """Calls that together have every value of every parameter, and every rank, as far as `count` calls can."""
    drawn = random.Random(0)
    signatures = [op.law(lambda options: options[0])]
    signatures += [op.law(lambda options: drawn.choice(list(options))) for _ in range(DRAWS)]
    open_signatures = {repr(s): s for s in signatures}
    chosen: list[Signature] = []
    seen: set[Any] = set()
    while open_signatures and len(chosen) < count:
        key, best = max(open_signatures.items(), key=lambda item: _worth(features(item[1]) - seen))
        if len(chosen) >= count // 2 and not features(best) - seen:
            break
        chosen.append(open_signatures.pop(key))
        seen |= features(best)
    return chosen


def _worth(new: set[Any]) -> int:
    """How much a call shows that was not seen: a kind of value, such as None or (), counts for more than a number or a rank."""
    return sum(1 if kind == "rank" or is_number(value) else 3 for kind, *_, value in new)


def is_number(value: Any) -> bool:
    """Whether a value, or its text, is that of a number."""
    return isinstance(value, int) or value.lstrip("-").replace(".", "", 1).isdigit()


def features(signature: Signature) -> set[Any]:
    """What a call shows of an op: the rank of each operand, and the kind of each parameter's value."""
    ranks = {("rank", position, len(shape)) for position, shape in enumerate(signature.shapes)}
    has_axes = any(signature.shapes)  # of a 0-d array no axes are all axes
    kinds = {(n, kind_of_value(v)) for n, v in signature.parameters.items() if has_axes or v != ()}
    # A pair of equal numbers does not show which is the first.
    uneven = {
        (n, "uneven", "")
        for n, v in signature.parameters.items()
        if isinstance(v, tuple) and len(set(map(repr, v))) > 1
    }
    nested = {(n, "nested", "") for n, v in signature.parameters.items() if _has_lists(v)}
    return ranks | kinds | uneven | nested


def _has_lists(value: Any) -> bool:
    """Whether it is a list of lists, as indices of several axes are."""
    return isinstance(value, list) and any(isinstance(part, list) for part in value)


def kind_of_value(value: Any) -> str:
    """A parameter value as the class of those that an engine may lack: a sequence by its type, anything else itself.

    So is an empty one, which many engines take for "all".
    """
    return type(value).__name__ if isinstance(value, (tuple, list)) and value else repr(value)


def case_of(op: Op, signature: Signature, dtype: str) -> Case:
    """A case of a signature with moderate numbers, in C order."""
    return build(op, Row(signature), dtype, texture=TEXTURES[0], upstream="signed", layouts=["C"], seed=0)


def signature_of(case: Case) -> Signature:
    """The shapes and parameters of a case."""
    return Signature(tuple(x.shape for x in case.operands), case.parameters, case.domains)
