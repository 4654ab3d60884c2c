"""What somebody has judged to be the engine's: wrong values of ops, and claims that it contradicts itself."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import islice

from conformance.backend import Backend
from conformance.checks.comparison import AS_WELL
from conformance.errors import Violation
from conformance.run.mapped.far import CHECK
from conformance.run.mapped.findings import Finding, MappedOp
from conformance.runfile.known import SMOKE, KnownFailure

WRONG_VALUE = "the value differs from the reference value"  # what a run says of it, without the numbers

WRONG_GRADIENT = "differs from the reference VJP"  # and of a gradient, if it is not dropped

IF_THE_ENGINES = "where the engine contradicts a claim itself, a known failure with `says`, and a kind or a script, settles it (--known)"


def _as_a_run_says(slip: Finding) -> tuple[str, ...]:
    """The messages that a run may have for what is wrong; of zeros in place of a gradient it is that of any wrong one."""
    if slip.is_dropped:
        return slip.message, f"{slip.message.partition(' is ')[0]} {WRONG_GRADIENT}"
    _, as_well, numbers = slip.message.partition(AS_WELL)
    if as_well:
        return slip.message.removesuffix(numbers), slip.message
    return (slip.message,) if slip.dtype else (slip.message, WRONG_VALUE)


def _ids(op: MappedOp, slip: Finding, backend: Backend, usual: str) -> list[str]:
    """The questions of a run in which what is wrong shows as well."""
    return [f"{backend.name}/op/{op.op}/{check}/{slip.dtype or usual}" for check in ("value", "vjp", "flat")]


def _settles(entry: KnownFailure, identifier: str, slip: Finding) -> bool:
    return entry.covers(identifier) and any(entry.explains(identifier, m) for m in _as_a_run_says(slip))


def id_of_claim(backend: Backend, claim: str) -> str:
    """The id by which a known failure speaks of a claim of `smoke`."""
    return f"{backend.name}{SMOKE}{re.sub('[^a-z0-9]+', '-', claim.lower()).strip('-')}"


def claim_known(claim: str, answer: str, backend: Backend, known: Sequence[KnownFailure]) -> str:
    """Why what contradicts a claim is the engine's, by the known failures about claims; empty where it is not.

    What a claim says of wrong numbers may be listed without the name of the exception before it, as a run has it.
    """
    identifier = id_of_claim(backend, claim)
    judged = (e for e in known if e.says and (e.kind or e.script) and any(SMOKE in i for i in e.ids))
    said = (answer, answer.removeprefix(f"{Violation.__name__}: "))
    return next((e.reason for e in judged if any(e.explains(identifier, words) for words in said)), "")


def far_and_not_known(op: MappedOp, backend: Backend, known: Sequence[KnownFailure]) -> MappedOp:
    """The op without those values far from 1 that are known as the engine's, by what a run says of them."""
    kind, check = CHECK.split("/")
    identifier = "/".join((backend.name, kind, op.op, check, op.dtype or backend.dtypes[0]))
    news = [f for f in op.far if not any(e.explains(identifier, f.message, f.call) for e in known)]
    return replace(op, far=tuple(news))


def reason_known(op: MappedOp, backend: Backend, known: Sequence[KnownFailure]) -> str:
    """Why all wrong values of an op are the engine's, by the known failures; empty where they are not.

    An entry counts that says what goes wrong with the value, and has a kind or a script: somebody has judged it.
    """
    reasons = _reasons(op, backend, known)
    return next(iter(reasons.values())) if reasons and len(reasons) == len(op.slips) else ""


def without_known(op: MappedOp, backend: Backend, known: Sequence[KnownFailure]) -> MappedOp:
    """The op without those wrong values that are known, if others are not: what is printed is then one of these."""
    reasons = _reasons(op, backend, known)
    news = tuple(slip for number, slip in enumerate(op.slips) if number not in reasons)
    return replace(op, slips=news, known=len(reasons)) if news else op


def _reasons(op: MappedOp, backend: Backend, known: Sequence[KnownFailure]) -> dict[int, str]:
    """By their numbers, the wrong values that are known, each with why it is the engine's."""
    usual = op.dtype or backend.dtypes[0]
    judged = [e for e in known if e.says and (e.kind or e.script)]
    reasons: dict[int, str] = {}
    for number, slip in enumerate(op.slips):
        if not slip.is_raised:  # an exception of the adapter is no wrong value
            said = (e.reason for e in judged for i in _ids(op, slip, backend, usual) if _settles(e, i, slip))
            reasons.update((number, reason) for reason in islice(said, 1))
    return reasons
