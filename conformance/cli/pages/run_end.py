"""What stands at the end of a run: its causes, what has no answer, its table."""

from __future__ import annotations

import re
import shlex
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from rich.table import Table
from rich.text import Text

from conformance.runfile.causes import Cause
from conformance.runfile.known import message_of
from conformance.runfile.patterns import stated_line
from conformance.runfile.records import BackendLine, ResultLine, RunLine, Verdict
from conformance.runfile.severity import SEVERITY_TEXT, Severity
from conformance.runfile.texts import in_brief_lines

LISTED = 20  # causes that have a line each
NAMED = 6  # checks whose failures follow from a plainer one
DOUBTED = (
    "the engine's, or a slip of the adapter: by the diagnosis of its gradient another function may be called, or another "
    "parameter passed; conformance smoke ADAPTER -q {op} tells"
)


def shown_of(causes: Sequence[Cause]) -> list[Cause]:
    """The worst causes, and some that are not the engine's at all, which are to be corrected before the others are read."""
    ours = [cause for cause in causes[LISTED:] if cause.severity is Severity.OURS]
    return [*causes[:LISTED], *ours[:LISTED]]


def lines_of(causes: Iterable[Cause]) -> Iterator[str]:
    """A cause in two lines: how many failures, of which engine, how bad and what; and the worst of them, with its pattern."""
    for cause in causes:
        evidence = cause.worst.evidence
        pattern = f" ({evidence.pattern})" if evidence and evidence.pattern else ""
        known = ", known" if cause.is_known else ""
        yield f"{len(cause.results):5}  {cause.engine:9} {SEVERITY_TEXT[cause.severity]}{known}: {in_brief_lines(cause.title)}"
        yield f"{'':17}{cause.worst.id}{pattern}"
        if cause.following:
            checks = list(dict.fromkeys(result.check for result in cause.following))
            more = f" and {len(checks) - NAMED} more" if len(checks) > NAMED else ""
            yield f"{'':17}{len(cause.following)} of these may follow from it: {', '.join(checks[:NAMED])}{more}"
        if cause.is_doubted:
            yield f"{'':17}{DOUBTED.format(op=cause.worst.subject)}"


def unanswered(results: Iterable[ResultLine]) -> Iterator[str]:
    """The questions that have no answer, which is nobody's fault: a sentence for each reason."""
    said = Counter(
        (r.backend, stated_line(message_of(r))) for r in results if r.verdict is Verdict.INTERRUPTED
    )
    for (backend, reason), count in said.items():
        yield f"no answer to {count} question{'s' * (count > 1)} of {backend}: {in_brief_lines(reason)}"


def unchecked(header: RunLine, results: Sequence[ResultLine]) -> Iterator[str]:
    """A sentence for each backend that offers nothing of what it was asked, which looks like success.

    Where queries name a part that other backends offer, it is no news that one has nothing of it.
    """
    asked: dict[str, list[ResultLine]] = {}
    for result in results:
        asked.setdefault(result.backend, []).append(result)
    having = {result.backend for result in results if result.verdict is not Verdict.UNSUPPORTED}
    for backend in header.backends:
        own = asked.get(backend.name, [])
        if own and backend.name not in having and not (having and header.queries):
            ((reason, _),) = Counter(stated_line(message_of(result)) for result in own).most_common(1)
            yield (
                f"nothing was checked of {backend.name}: it offers none of what was asked ({in_brief_lines(reason)}); what its "
                f"adapter lacks: conformance smoke {shlex.quote(backend.spec or backend.name)}"
            )


def unasked_points(queries: Sequence[str], results: Sequence[ResultLine]) -> list[str]:
    """The queries for special points of the ops that were asked whole, where none of theirs was asked."""
    from conformance.points import SPECIAL_POINTS

    named = (re.fullmatch(r"op/([^/*?\[]+)(/\*)?", query.strip("/")) for query in queries)
    asked = [query.strip("/") for query in queries]
    ops = [
        op
        for op in dict.fromkeys(found[1] for found in named if found)
        if not any(
            f"{query}/".startswith(f"point/{op}/") for query in asked
        )  # a run may have ended before them
    ]
    having = {point.op for point in SPECIAL_POINTS.values()}
    return [
        f"-q point/{op}" for op in ops if op in having and not any(f"/point/{op}/" in r.id for r in results)
    ]


def left_out_of(header: RunLine) -> list[str]:
    """What the profile leaves out of engines that compile: a sentence for each, or for its modes that do."""
    by_engine: dict[str, list[BackendLine]] = {}
    for backend in header.backends:
        by_engine.setdefault(backend.engine, []).append(backend)
    counts: dict[str, int] = {}
    for engine, modes in by_engine.items():
        left_out = {mode.name: sum(mode.left_out.values()) for mode in modes if mode.left_out}
        counts |= {engine: sum(left_out.values())} if len(left_out) == len(modes) else left_out
    return [
        f"{who} compiles every call: profile {header.profile} leaves {count} of its checks to other seeds and to "
        "--profile standard, see docs/compiling.md"
        for who, count in counts.items()
    ]


def in_words(seconds: float) -> str:
    """A time that is guessed, in the largest unit of which it has two."""
    if seconds >= 2 * 3600:
        return f"{seconds / 3600:.0f} h"
    return f"{seconds / 60:.0f} min" if seconds >= 2 * 60 else f"{seconds:.0f} s"


def _cases(results: Sequence[ResultLine]) -> tuple[str, str]:
    """How many cases decided, and in how many a wrong answer would have passed too."""
    return str(sum(r.cases for r in results)), str(sum(r.undecided for r in results))


def table_of(header: RunLine, results: Sequence[ResultLine]) -> Table:
    """Verdicts by backend, with their denominators."""
    table = Table(box=None, pad_edge=False)
    shown = [v for v in Verdict if any(r.verdict is v for r in results)]
    for name in ("backend", *(v.value for v in shown), "of", "cases", "not deciding"):
        table.add_column(name, justify="left" if name == "backend" else "right")
    for backend in header.backends:
        own = [r for r in results if r.backend == backend.name]
        if results and not own and not backend.error:
            continue  # the queries are about what it does not have
        counts = [str(sum(r.verdict is v for r in own)) for v in shown]
        table.add_row(Text(backend.name), *counts, str(len(own)), *_cases(own))
    return table
