"""Refused gradients that an adapter declares in `no_gradient`, met in a check of the engine as a whole."""

from __future__ import annotations

import re
from collections.abc import Iterator

from conformance.backend import Backend
from conformance.checks.engine_calls import is_refusal
from conformance.checks.members import call_of
from conformance.checks.observation import Observation
from conformance.dtype import HALF
from conformance.errors import Unsupported, text_of
from conformance.ops import ALL_OPS
from conformance.trace import aside

CALLS = 3  # of an op, of which each may be refused in other words


def decline_if_declared(failure: Exception, backend: Backend) -> None:
    """Raise Unsupported where an engine raised what it raises for the gradient of an op alone that `no_gradient` declares.

    The exception must be of the same type, and say the same but for numbers.
    """
    if not backend.no_gradient or not is_refusal(failure):
        return
    with aside():
        found = [op for op in _declared(backend) if _said(failure) in set(_refusals(backend, op))]
    if found:
        raise Unsupported(f"{backend.engine} has no gradient of {found[0]}, as declared") from None


def _declared(backend: Backend) -> list[str]:
    """The ops with a rule, one of whose gradients is declared not to be there."""
    names = sorted(set().union(*backend.no_gradient.values()) & set(backend.ops) & set(ALL_OPS))
    return [name for name in names if not ALL_OPS[name].is_flat]


def _refusals(backend: Backend, op: str) -> Iterator[tuple[type[Exception], str]]:
    """What the engine raises for the gradient of the op alone, in the dtypes for which it is declared."""
    declared = backend.no_gradient
    wide = [dtype for dtype in backend.dtypes if dtype not in HALF]
    for dtype in [d for d in wide if op in declared.get(d, ()) or op in declared.get("*", ())]:
        for seed in range(CALLS):
            member = call_of(ALL_OPS[op], seed, dtype)
            if member is None:
                continue
            try:
                _ = Observation(backend, member.oracle).answer
            except Exception as refusal:
                yield _said(refusal)


def _said(error: Exception) -> tuple[type[Exception], str]:
    """The type of an exception and what it says, without numbers."""
    return type(error), re.sub(r"\d+", "#", text_of(error))


UNNAMED = re.compile(r"the adapter of .* names no (\w+)")  # what Backend.op() says


def op_to_name(backend: Backend, said: str) -> str:
    """The op of the catalogue that an Unsupported says the adapter does not name, where it does not; empty for another reason."""
    found = UNNAMED.fullmatch(said)
    return found[1] if found and found[1] in ALL_OPS and found[1] not in backend.ops else ""
