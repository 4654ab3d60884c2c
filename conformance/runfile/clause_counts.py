"""How many checks of each clause held on each backend, as records that can be saved, with a table in Markdown."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

import msgspec

from conformance.runfile.records import UNEXPECTED, ResultLine, Verdict

Escape = Callable[[str], str]  # makes text from outside harmless in Markdown


class ClauseCount(msgspec.Struct, frozen=True, omit_defaults=True):
    """The results of one clause on one backend; `reason` is the most frequent one where nothing was checked."""

    passed: int = 0
    known: int = 0
    unexpected: int = 0
    reason: str = ""

    def __str__(self) -> str:
        counts = ((self.passed, "pass"), (self.known, "known"), (self.unexpected, "✗"))
        return ", ".join(f"{count} {word}" for count, word in counts if count)


Counts = Mapping[str, ClauseCount]  # by clause


def count_clauses(results: Iterable[ResultLine]) -> dict[str, dict[str, ClauseCount]]:
    """The counts by backend, then by clause."""
    lines: dict[str, dict[str, list[ResultLine]]] = {}
    for line in results:
        if re.fullmatch(r"[A-Z]\d+", line.clause):
            lines.setdefault(line.backend, {}).setdefault(line.clause, []).append(line)
    return {
        backend: {clause: _count(found) for clause, found in sorted(own.items(), key=lambda e: _place(e[0]))}
        for backend, own in lines.items()
    }


def clause_table(names: Sequence[str], counts: Mapping[str, Counts], escape: Escape) -> Iterator[str]:
    """A row per clause, a column per backend; the reasons why nothing was checked are numbered below the table."""
    clauses = {clause for name in names for clause in counts.get(name, {})}
    reasons: dict[str, int] = {}
    yield f"| clause | {' | '.join(map(escape, names))} |"
    yield "|---|" + "---|" * len(names)
    for clause in sorted(clauses, key=_place):
        cells = (_cell(counts.get(name, {}).get(clause), reasons) for name in names)
        yield f"| {clause} | {' | '.join(cells)} |"
    yield ""
    yield from (f"{number}. {escape(text)}" for text, number in reasons.items())


def _place(clause: str) -> tuple[str, int]:
    return clause[0], int(clause[1:])


def _count(lines: Sequence[ResultLine]) -> ClauseCount:
    verdicts = Counter(line.verdict for line in lines)
    unexpected = sum(verdicts[verdict] for verdict in UNEXPECTED)
    found = ClauseCount(verdicts[Verdict.PASS], verdicts[Verdict.KNOWN], unexpected)
    return found if str(found) else ClauseCount(reason=_most_frequent(lines))


def _most_frequent(lines: Sequence[ResultLine]) -> str:
    reasons = Counter(_reason(line) for line in lines)
    return max(reasons, key=lambda text: reasons[text])


def _reason(line: ResultLine) -> str:
    said = line.evidence
    return (said and (said.reason or said.message)) or line.verdict.value


def _cell(count: ClauseCount | None, reasons: dict[str, int]) -> str:
    if count is None:
        return ""
    return str(count) or f"– ({reasons.setdefault(count.reason, len(reasons) + 1)})"
