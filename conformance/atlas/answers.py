"""The answers that checks give under each convention of a clause, summed up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from conformance.clauses import Clause

# Checks of other chapters that alone decide a clause's conventions: what its own checks find under each is another fault.
ELSEWHERE: Mapping[str, tuple[str, ...]] = {"C5": ("example/W4/trailing-none",)}


@dataclass(frozen=True)
class Failed:
    """A check does not hold, or ends in an error that is no violation."""

    message: str
    is_error: bool = False


Answer = bool | str | Failed | None  # holds; undecided, with a reason; fails; undecided of an op
Answers = list[tuple[str, Answer]]  # each with its op, where it can differ from op to op


def without_failures_alike(clause: Clause, tried: Sequence[Answers]) -> list[Answers]:
    """The answers under each convention; a check that ends in the same error under all of them decides between none.

    Neither does one that fails alike under all, where a check of another chapter decides.
    """
    is_decided_elsewhere = clause.number in ELSEWHERE
    alike = [
        len(set(answers)) == 1
        and isinstance(answers[0][1], Failed)
        and (answers[0][1].is_error or is_decided_elsewhere)
        for answers in zip(*tried, strict=True)
    ]
    return [
        [
            (op, f"it {'raises' if answer.is_error else 'fails:'} {answer.message}")
            if is_alike and isinstance(answer, Failed)
            else (op, answer)
            for (op, answer), is_alike in zip(answers, alike, strict=True)
        ]
        for answers in tried
    ]


def summed_up(answers: Answers) -> tuple[str, str, dict[str, bool]]:
    """How a check fails, or why none decides; and for each op whether its check holds."""
    of_engine = [answer for op, answer in answers if not op]
    of_ops = {op: all(a is True for o, a in answers if o == op) for op, a in answers if op and a is not None}
    decided = [answer for answer in of_engine if answer is True or isinstance(answer, Failed)]
    failure = next((answer.message for answer in decided if isinstance(answer, Failed)), "")
    undecided = [answer for _, answer in answers if isinstance(answer, str)]
    reason = (
        "" if decided or of_ops else next(iter(undecided), "the adapter names no op that its checks call")
    )
    return failure, reason, of_ops
