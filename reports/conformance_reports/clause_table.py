"""The clauses of the standard by backend, as a table of Markdown: what held, and why the rest was not run."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from conformance.runfile.records import UNEXPECTED, ResultLine, Verdict
from conformance_reports.united import reason

Plain = Callable[[str], str]  # makes untrusted text harmless


def clause_table(names: Sequence[str], results: Iterable[ResultLine], plain: Plain) -> Iterator[str]:
    """A row per clause that was run, a column per backend; reasons are numbered, and listed below.

    A cell counts the answers: those that held, those that did not as listed, and those that did not (✗). Where
    an engine offers nothing that a clause applies to, the cell has the number of the most frequent reason.
    """
    answers: dict[str, dict[str, list[ResultLine]]] = {}
    for line in results:
        if _is_clause(line.clause):
            answers.setdefault(line.clause, {}).setdefault(line.backend, []).append(line)
    reasons: dict[str, int] = {}
    yield f"| clause | {' | '.join(map(plain, names))} |"
    yield "|---|" + "---|" * len(names)
    for clause in sorted(answers, key=_place):
        cells = (_cell(answers[clause].get(name, []), reasons) for name in names)
        yield f"| {clause} | {' | '.join(cells)} |"
    yield ""
    yield from (f"{number}. {plain(text)}" for text, number in reasons.items())


def _is_clause(text: str) -> bool:
    return re.fullmatch(r"[A-Z]\d+", text) is not None


def _place(clause: str) -> tuple[str, int]:
    return clause[0], int(clause[1:])


def _cell(lines: Sequence[ResultLine], reasons: dict[str, int]) -> str:
    counts = Counter(line.verdict for line in lines)
    wrong = sum(counts[verdict] for verdict in UNEXPECTED)
    shown = {"pass": counts[Verdict.PASS], "known": counts[Verdict.KNOWN], "✗": wrong}
    if any(shown.values()):
        return ", ".join(f"{count} {word}" for word, count in shown.items() if count)
    return f"– ({_number(lines, reasons)})" if lines else ""


def _number(lines: Sequence[ResultLine], reasons: dict[str, int]) -> int:
    texts: Mapping[str, int] = Counter(reason(line) or line.verdict.value for line in lines)
    most = max(texts, key=lambda text: texts[text])
    return reasons.setdefault(most, len(reasons) + 1)
