"""Causes: the failures of a run, known or not, grouped by what is behind them and put in order, the worst first.

The one place that groups failures: the end of `conformance run`, the reports and comparisons of runs use it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from conformance.runfile.diagnostics import Fault
from conformance.runfile.patterns import stated_line
from conformance.runfile.records import BackendLine, ResultLine, Verdict
from conformance.runfile.severity import (
    WRONG_NUMBERS,
    Severity,
    failed_as,
    is_failure,
    relative_error,
    severity_of,
)

LONGEST_TITLE = 160
SEVERAL = 3  # ops in which a check finds the same, for that to be one fault of what is around them
# What other claims about an op rest on: where one of these fails, so do they. Of several failures it is the one to look at.
PLAINEST = ("op/value", "op/vjp", "op/forward")
GRADIENT = re.compile(r"^(the gradient of operand) .*(differs from the reference VJP)$")


@dataclass(frozen=True)
class Cause:
    """The failing results of one engine with one thing behind them, the worst result first.

    `title` says what is wrong, in the words of the known-failures file where it lists this. `kind` is
    what that file calls it, if it does: a fault, documented, not implemented. `following` are those of the results
    that fail because a plainer claim does: the tangent or the second derivative of a wrong gradient. `is_doubted` says
    that the diagnosis of a gradient of the same op calls the adapter wrong: a wrong value is an engine's, or a slip's.
    """

    engine: str
    severity: Severity
    title: str
    results: tuple[ResultLine, ...]
    is_known: bool
    kind: str = ""
    following: tuple[ResultLine, ...] = ()
    is_doubted: bool = False

    @property
    def worst(self) -> ResultLine:
        """The result to look at."""
        return self.results[0]

    @property
    def subjects(self) -> tuple[str, ...]:
        """What fails: ops, clauses or special points."""
        return tuple(dict.fromkeys(result.subject for result in self.results))


def causes_of(backends: Sequence[BackendLine], found: Iterable[ResultLine]) -> list[Cause]:
    """The causes of all failures among those `found`, the worst first; `backends` says whose modes they are."""
    results = list(found)
    engines = {line.name: line.engine or line.name for line in backends}
    groups: dict[Hashable, list[ResultLine]] = {}
    for result in results:
        if is_failure(result):
            engine = engines.get(result.backend, result.backend)
            groups.setdefault((engine, *_key(result)), []).append(result)
    doubted = {
        (engines.get(r.backend, r.backend), r.subject)
        for r in results
        if r.evidence and r.evidence.fault == Fault.ADAPTER
    }
    causes = [
        _cause(engines.get(own[0].backend, own[0].backend), own, following, doubted)
        for own, following in _across_ops(_with_what_follows(list(groups.values()), engines), engines)
    ]
    return sorted(causes, key=lambda cause: (cause.severity, cause.is_known, -len(cause.results)))


def _key(result: ResultLine) -> tuple[Hashable, ...]:
    """What results of one engine share that have one cause.

    An entry of the known failures is a cause. Otherwise an error is its message, wherever it is raised; wrong
    numbers are those of one subject; any other violation is one of its check, whatever the subject.
    """
    message = _line(result)
    if result.verdict is Verdict.KNOWN and result.evidence is not None and result.evidence.reason:
        return ("known", result.evidence.reason)
    verdict = failed_as(result)
    if verdict in (Verdict.ERROR, Verdict.ADAPTER_ERROR, Verdict.INTERNAL_ERROR):
        return (verdict, _pattern(message))
    if verdict is Verdict.FAIL and relative_error(result) is None:
        return (verdict, result.check_key, _pattern(message.replace(result.subject, "…")))
    subject = result.clause if result.kind == "contract" else result.subject
    return (verdict, result.kind, subject, _pattern(message))


def _pattern(message: str) -> str:
    """The message without its numbers and names: what differs between two draws of one failure.

    Nor does it matter how the gradient was asked for: in a thread, checkpointed, behind other ops.
    """
    message = GRADIENT.sub(r"\1 \2", message)
    return re.sub(r"'[^']*'|\"[^\"]*\"|\[[^\]]*\]|\([^)]*\)|\d[\d.e+-]*", "#", message)


def _line(result: ResultLine) -> str:
    message = result.evidence.message if result.evidence else ""
    return stated_line(message) or result.verdict.value


def _with_what_follows(
    groups: Sequence[list[ResultLine]], engines: Mapping[str, str]
) -> Iterator[tuple[list[ResultLine], list[ResultLine]]]:
    """Each group with the results of others that follow from it, which are then no groups of their own.

    These have wrong numbers of one op of one engine, no worse than those of a group in which a plainer claim about
    that op fails; no value follows from a gradient. What is listed as known has its cause already.
    """
    of_op: dict[tuple[str, str], list[list[ResultLine]]] = {}
    for group in groups:
        first = group[0]
        if (
            first.verdict is Verdict.FAIL
            and first.kind in ("op", "point")
            and _severity(group) in WRONG_NUMBERS
        ):
            op = first.subject.partition("/")[0]
            of_op.setdefault((engines.get(first.backend, first.backend), op), []).append(group)
    following: dict[int, list[ResultLine]] = {}
    joined: set[int] = set()
    for those in of_op.values():
        for group in (ordered := sorted(those, key=_plainest)):
            plainer = (g for g in ordered if _is_plain(g) and id(g) not in joined and _may_follow(group, g))
            if of := next(plainer, None):
                following.setdefault(id(of), []).extend(group)
                joined.add(id(group))
    yield from ((group, following.get(id(group), [])) for group in groups if id(group) not in joined)


def _across_ops(
    pairs: Iterable[tuple[list[ResultLine], list[ResultLine]]], engines: Mapping[str, str]
) -> list[tuple[list[ResultLine], list[ResultLine]]]:
    """The same, with one cause where one check finds the same wrong in several ops that are right by plainer ones.

    What an engine does around every op, such as adding up what several uses send, is wrong in each.
    """
    kept: list[tuple[list[ResultLine], list[ResultLine]]] = []
    alike: dict[Hashable, list[list[ResultLine]]] = {}
    for group, following in pairs:
        first = group[0]
        has_numbers = first.verdict is Verdict.FAIL and _severity(group) in WRONG_NUMBERS
        if (
            following
            or _is_plain(group)
            or first.kind != "op"
            or not has_numbers
            or len({r.check for r in group}) > 1
        ):
            kept.append((group, following))
        else:
            engine = engines.get(first.backend, first.backend)
            alike.setdefault((engine, first.check, _pattern(_line(first))), []).append(group)
    for groups in alike.values():
        if len(groups) >= SEVERAL:
            kept.append(([result for group in groups for result in group], []))
        else:
            kept += [(group, []) for group in groups]
    return kept


def _may_follow(group: Sequence[ResultLine], plainer: Sequence[ResultLine]) -> bool:
    """Whether a group of wrong numbers is no worse than a plainer one of its op, and no value where that is a gradient."""
    rests = _plainest(group) > _plainest(plainer) and _severity(group) >= _severity(plainer)
    return rests and (not _is_of_values(group) or _is_of_values(plainer))


def _is_of_values(group: Sequence[ResultLine]) -> bool:
    return all(_line(result).startswith("the value ") for result in group)


def _is_plain(group: Sequence[ResultLine]) -> bool:
    """Whether one of the plainest claims is among those that fail."""
    return _plainest(group) < len(PLAINEST)


def _plainest(group: Sequence[ResultLine]) -> int:
    return min(map(_plainness, group))


def _plainness(result: ResultLine) -> int:
    """How much rests on the claim that failed; 0 is the plainest."""
    return PLAINEST.index(result.check_key) if result.check_key in PLAINEST else len(PLAINEST)


def _severity(results: Iterable[ResultLine]) -> Severity:
    return min(map(severity_of, results))


def _ranked(results: Iterable[ResultLine]) -> list[ResultLine]:
    """The worst first; of those that are as bad the plainest, in double precision if it can be."""
    return sorted(
        results,
        key=lambda r: (
            severity_of(r),
            _plainness(r),
            r.dtype != "float64",
            -(r.error or 0.0),
            len(r.id),
            r.id,
        ),
    )


def _cause(
    engine: str,
    results: Sequence[ResultLine],
    following: Sequence[ResultLine],
    doubted: Collection[tuple[str, str]],
) -> Cause:
    ranked = _ranked(results)
    worst = ranked[0]
    evidence = worst.evidence
    is_known = all(result.verdict is Verdict.KNOWN for result in ranked)
    return Cause(
        engine=engine,
        severity=severity_of(worst),
        title=evidence.reason if is_known and evidence and evidence.reason else _title(ranked),
        results=(*ranked, *_ranked(following)),
        is_known=is_known,
        kind=evidence.kind if is_known and evidence else "",
        following=tuple(_ranked(following)),
        is_doubted=severity_of(worst) in WRONG_NUMBERS and (engine, worst.subject) in doubted,
    )


def _title(results: Sequence[ResultLine]) -> str:
    """What is wrong, in the shortest of the results' messages."""
    message = min(map(_line, results), key=len)
    if len({result.subject for result in results}) > 1 or results[0].kind not in ("op", "point"):
        return message
    named = message if results[0].subject in message else f"{results[0].subject}: {message}"
    return named if len(named) <= LONGEST_TITLE else f"{named[: LONGEST_TITLE - 1]}…"
