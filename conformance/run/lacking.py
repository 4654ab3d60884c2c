"""Parameter values that an engine lacks, found from the calls that it refuses."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

from conformance.case import Case
from conformance.dtype import carried
from conformance.op import Op, Signature
from conformance.parameters import is_meant
from conformance.points import points_of
from conformance.run.forms import DRAWS, FORMS, kind_of_value

SEEDS = (1, 2)  # of the calls with which a value is confirmed
POINT_CALLS = 2  # calls that must refuse a value of a special point


def lacking_values(refused: Sequence[Signature], right: Sequence[Signature]) -> dict[str, tuple[Any, ...]]:
    """The fewest parameter values that refused calls have, and no call that is right, as `Backend.lacks` writes them."""
    offered = {feature for signature in right for feature in _values(signature)}
    open_calls = [_values(signature) for signature in refused]
    lacking: dict[str, tuple[Any, ...]] = {}
    while open_calls:
        counts = Counter(f for values in open_calls for f in values if f not in offered)
        if not counts:
            break
        most = counts.most_common(1)[0][0]
        value = next(values[most] for values in open_calls if most in values)
        kept = type(value) if isinstance(value, (tuple, list)) and value else value
        lacking[most[0]] = (*lacking.get(most[0], ()), kept)
        open_calls = [values for values in open_calls if most not in values]
    return lacking


def confirmed(
    op: Op, lacking: Mapping[str, tuple[Any, ...]], is_refused: Callable[[Signature], bool | None]
) -> dict[str, tuple[Any, ...]]:
    """Those of the values with which further calls are refused as well: one call may be refused for another reason.

    `is_refused` is None of a call that decides nothing, because the adapter says that it is not offered.
    """
    return {
        name: kept
        for name, values in lacking.items()
        if (kept := tuple(value for value in values if _is_always_refused(op, name, value, is_refused)))
    }


def _is_always_refused(op: Op, name: str, value: Any, is_refused: Callable[[Signature], bool | None]) -> bool:
    return not any(is_refused(signature) is False for signature in _calls_with(op, name, value))


def _calls_with(op: Op, name: str, value: Any) -> Iterator[Signature]:
    """Calls of the law with a value: some, and of each further rank one, of which an axis may be the last or none."""
    tried: set[str] = set()
    ranks: set[tuple[int, ...]] = set()
    for seed in SEEDS:
        drawn = random.Random(seed)
        for _ in range(DRAWS):
            signature = op.law(lambda options, drawn=drawn: drawn.choice(list(options)))
            if not is_meant(value, signature.parameters.get(name)) or repr(signature) in tried:
                continue
            of_ranks = tuple(map(len, signature.shapes))
            if len(tried) < FORMS or of_ranks not in ranks:
                tried.add(repr(signature))
                ranks.add(of_ranks)
                yield signature


def not_accepted_elsewhere(
    op: Op,
    lacking: Mapping[str, tuple[Any, ...]],
    right: Sequence[Case],
    is_accepted: Callable[[Case], bool],
) -> dict[str, tuple[Any, ...]]:
    """Those of the values that no right call may have in place of its own: otherwise a rank or an operand is refused."""

    def is_lacking(name: str, value: Any) -> bool:
        if isinstance(value, type):
            return True  # the value itself is not known, only that it is of this type
        others = (replace(case, parameters={**case.parameters, name: value}) for case in right)
        return not any(is_accepted(other) for other in others if _has_value(op, other))

    return {
        name: kept
        for name, values in lacking.items()
        if (kept := tuple(value for value in values if is_lacking(name, value)))
    }


def accepted_otherwise(
    op: Op,
    lacking: Mapping[str, tuple[Any, ...]],
    refused: Sequence[Case],
    is_accepted: Callable[[Case], bool],
) -> dict[str, tuple[Any, ...]]:
    """Those of the values in whose place the engine takes another: otherwise the rank, or all such calls, are refused.

    Where the reference takes no other value in their place, nothing shows that, and they are kept.
    """

    def is_lacking(name: str, value: Any) -> bool:
        calls = [case for case in refused if is_meant(value, case.parameters.get(name))]
        others = [
            other
            for case in calls
            for given in _given(op, name)
            if not is_meant(value, given)
            and _has_value(op, other := replace(case, parameters={**case.parameters, name: given}))
        ]
        return not others or any(map(is_accepted, others[:FORMS]))

    return {
        name: kept
        for name, values in lacking.items()
        if (kept := tuple(value for value in values if is_lacking(name, value)))
    }


def with_those_of_points(
    op: Op,
    lacking: Mapping[str, tuple[Any, ...]],
    right: Sequence[Case],
    is_refused: Callable[[Case], bool],
) -> dict[str, tuple[Any, ...]]:
    """The values, and others that a right call may not have either: special points have some, and forms do not ask all that are drawn."""

    def further(name: str, values: tuple[Any, ...]) -> list[Any]:
        asked = {
            repr(p.parameters[name]): p.parameters[name] for p in points_of(op.name) if name in p.parameters
        }
        asked = {repr(value): value for value in _given(op, name)} | asked
        others = [value for value in asked.values() if not any(is_meant(known, value) for known in values)]
        return [value for value in others if _is_refused_in(op, name, value, right, is_refused)]

    return {name: (*values, *further(name, values)) for name, values in lacking.items()}


def without_repeats(lacking: Mapping[str, tuple[Any, ...]]) -> dict[str, tuple[Any, ...]]:
    """The values without those that a type beside them stands for: of `(tuple, ())` the type alone."""
    return {
        name: tuple(
            value for value in values if not any(is_meant(t, value) for t in values if isinstance(t, type))
        )
        for name, values in lacking.items()
    }


def _is_refused_in(
    op: Op, name: str, value: Any, right: Sequence[Case], is_refused: Callable[[Case], bool]
) -> bool:
    """Whether right calls are refused with this value: some engines refuse it of arrays without entries alone."""
    by_entries = sorted(right, key=lambda case: any(x.size == 0 for x in case.operands))
    others = (replace(case, parameters={**case.parameters, name: value}) for case in by_entries)
    tried = [is_refused(other) for other in islice((o for o in others if _has_value(op, o)), POINT_CALLS)]
    return bool(tried) and all(tried)


def _given(op: Op, name: str) -> list[Any]:
    """Values of a parameter that the law draws, each once."""
    drawn = random.Random(2)
    laws = (op.law(lambda options: drawn.choice(list(options))) for _ in range(DRAWS // 4))
    return list({repr(s.parameters[name]): s.parameters[name] for s in laws if name in s.parameters}.values())


def _has_value(op: Op, case: Case) -> bool:
    """Whether the reference takes the call: a parameter need not fit another call's shapes."""
    try:
        op.reference(*map(carried, case.operands), **case.parameters)
    except Exception:
        return False
    return True


def _values(signature: Signature) -> dict[tuple[str, str], Any]:
    return {(name, kind_of_value(value)): value for name, value in signature.parameters.items()}


def is_explained(signature: Signature, lacking: Mapping[str, tuple[Any, ...]]) -> bool:
    """Whether a refused call has one of the parameter values that the engine lacks."""
    return any(
        is_meant(value, signature.parameters.get(name))
        for name, values in lacking.items()
        for value in values
    )
