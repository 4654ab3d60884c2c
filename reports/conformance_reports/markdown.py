"""The run as Markdown, for the summary page of a CI job."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from conformance.runfile.causes import causes_of
from conformance.runfile.clause_counts import clause_table, count_clauses
from conformance.runfile.generated import scores_of
from conformance.runfile.jsonl import Run
from conformance.runfile.records import UNEXPECTED, BackendLine, ResultLine, Verdict
from conformance.runfile.severity import SEVERITY_TEXT
from conformance_reports.release import record
from conformance_reports.united import backend_names, unite

SUFFIXES = (".md",)
LIMIT = 900_000  # bytes; a step summary above 1 MiB is discarded silently
TOP = 50
LONGEST = 300  # characters of one name or message

# Invisible characters that reorder or hide what stands beside them.
CONTROLS = re.compile("[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]")
MARKUP = re.compile(r"([\\`*_{}\[\]#|~$@]|:(?=//)|(?<=www)\.)")


def plain(text: str, longest: int = LONGEST) -> str:
    """Untrusted text on one line, so that it stands in a table cell as it is and links nowhere."""
    text = CONTROLS.sub(" ", text)
    if len(text) > longest:
        text = text[:longest] + "…"
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return MARKUP.sub(r"\\\1", text)


def render(runs: Sequence[Run]) -> str:
    """Counts per backend, then the worst failures, then every clause, in at most 900 kB."""
    run = unite(runs)
    sections = [*_head(run), *_counts(run), *_failures(run), *_fixed(run.results), *_clauses(run)]
    return _fitting(sections)


def _head(run: Run) -> Iterable[str]:
    header = run.header
    yield "## Conformance"
    yield ""
    if not run.is_complete:
        yield f"> **! Not complete.** {plain(run.missing)}; the counts are of what was finished."
        yield ""
    cases = sum(line.cases for line in run.results)
    yield (
        f"Specification {plain(header.spec.version)} · profile {plain(header.profile)} · "
        f"seed {header.seed} · {len(run.results)} results · {cases} cases · {plain(header.started)}"
    )
    yield ""
    if run.mutants:
        caught = sum(bool(line.killers) for line in run.mutants)
        yield f"The suite itself: {caught} of {len(run.mutants)} mutants caught."
    else:
        yield f"The suite itself: {_recorded(record().get('mutants'))}"
    for score in scores_of(run.generated):
        yield f"Mutants made by program, {score.kind} at {score.profile}: {score.killed} of {score.of} caught."
    yield ""


def _recorded(mutants: dict[str, Any] | None) -> str:
    if mutants is None:
        return "mutants not run."
    return (
        f"{mutants['caught']} of {mutants['of']} mutants caught, recorded with the release on {mutants['date']} "
        f"(specification {mutants['digest']})."
    )


def _counts(run: Run) -> Iterable[str]:
    shown = [verdict for verdict in Verdict if any(line.verdict is verdict for line in run.results)]
    yield "| backend | engine | unexpected | " + " | ".join(plain(v.value) for v in shown) + " | results |"
    yield "|---|---|--:|" + "--:|" * (len(shown) + 1)
    by_backend: dict[str, Counter[Verdict]] = {name: Counter() for name in backend_names(run)}
    for line in run.results:
        by_backend[line.backend][line.verdict] += 1
    engines = {backend.name: backend for backend in run.header.backends}
    for name, counts in sorted(by_backend.items(), key=lambda item: _problems(item[1])):
        total = sum(counts.values())
        cells = [plain(name), _engine(engines.get(name))]
        cells += [f"{_glyph(counts)} {_problems(counts)}" if total else "– not run"]
        cells += [str(counts[verdict]) for verdict in shown] + [str(total)]
        yield "| " + " | ".join(cells) + " |"
    yield ""


def _engine(backend: BackendLine | None) -> str:
    if backend is None:
        return ""
    name = plain(f"{backend.engine} {backend.version} {backend.mode}".strip())
    return f"{name} ! could not start: {plain(backend.error)}" if backend.error else name


def _problems(counts: Counter[Verdict]) -> int:
    return sum(counts[verdict] for verdict in UNEXPECTED)


def _glyph(counts: Counter[Verdict]) -> str:
    return "✗" if _problems(counts) else "✓"


def _failures(run: Run) -> Iterable[str]:
    """The causes of all failures, those first that are not known."""
    causes = sorted(causes_of(run.header.backends, run.results), key=lambda cause: cause.is_known)
    if not causes:
        return
    known = sum(len(cause.results) for cause in causes if cause.is_known)
    yield f"### Failures by cause: {sum(len(cause.results) for cause in causes)}, of which {known} are known"
    yield ""
    yield "| | engine | results | what | worst result | clause |"
    yield "|---|---|--:|---|---|---|"
    for cause in causes[:TOP]:
        kind = cause.kind or "known" if cause.is_known else "not known"
        cells = [
            plain(cause.engine),
            str(len(cause.results)),
            f"{SEVERITY_TEXT[cause.severity]} ({plain(kind)}): {plain(cause.title)}",
            plain(cause.worst.id),
            plain(cause.worst.clause),
        ]
        yield f"| {'~' if cause.is_known else '✗'} | " + " | ".join(cells) + " |"
    yield ""
    if len(causes) > TOP:
        yield f"{len(causes) - TOP} more causes are in the HTML report."
        yield ""


def _fixed(results: Iterable[ResultLine]) -> Iterable[str]:
    fixed = [line for line in results if line.verdict is Verdict.FIXED]
    if not fixed:
        return
    yield f"### Pass now, so remove from the known-failures file: {len(fixed)}"
    yield ""
    yield from (f"- ! {plain(line.id)}" for line in fixed)
    yield ""


def _clauses(run: Run) -> Iterable[str]:
    if not run.results:
        return
    yield "### Clause by clause"
    yield ""
    yield from clause_table(backend_names(run), count_clauses(run.results), plain)


def _fitting(lines: Iterable[str]) -> str:
    """The lines up to the limit; what is left out is stated, not dropped."""
    note = "\nShortened here: the summary of a CI job holds no more. The rest is in the HTML report.\n"
    room = LIMIT - len(note.encode())
    kept: list[str] = []
    for line in lines:
        room -= len(line.encode("utf-8", errors="replace")) + 1
        if room < 0:
            return "\n".join(kept) + "\n" + note
        kept.append(line)
    return "\n".join(kept).rstrip() + "\n"
