"""Parameter values that an engine lacks, found from the calls that it refuses."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from conformance.op import Op, Signature
from conformance.parameters import is_meant
from conformance.run.forms import DRAWS, FORMS, kind_of_value


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
        kept = type(value) if isinstance(value, (tuple, list)) else value
        lacking[most[0]] = (*lacking.get(most[0], ()), kept)
        open_calls = [values for values in open_calls if most not in values]
    return lacking


def confirmed(
    op: Op, lacking: Mapping[str, tuple[Any, ...]], is_refused: Callable[[Signature], bool]
) -> dict[str, tuple[Any, ...]]:
    """Those of the values with which further calls are refused as well: one call may be refused for another reason."""
    return {
        name: kept
        for name, values in lacking.items()
        if (kept := tuple(value for value in values if _is_always_refused(op, name, value, is_refused)))
    }


def _is_always_refused(op: Op, name: str, value: Any, is_refused: Callable[[Signature], bool]) -> bool:
    drawn = random.Random(1)
    tried: set[str] = set()
    for _ in range(DRAWS):
        signature = op.law(lambda options: drawn.choice(list(options)))
        if is_meant(value, signature.parameters.get(name)) and repr(signature) not in tried:
            tried.add(repr(signature))
            if not is_refused(signature):
                return False
        if len(tried) == FORMS:
            break
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
