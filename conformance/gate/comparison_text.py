"""A comparison of two runs as text, Markdown or HTML."""

from __future__ import annotations

import html
from collections.abc import Callable, Iterator

from conformance.runfile.atlas_cell import AtlasCell
from conformance.runfile.compare import REGRESSIONS, Cause, Change, Comparison, Difference

SHOWN = 5  # ids of one cause


def as_text(found: Comparison) -> str:
    """For a terminal."""
    lines = [
        f"{e.backend}: {_versions(e.before, e.after)}{e.error and f', could not start: {e.error}'}"
        for e in found.engines
    ]
    lines += [f"note: {note}" for note in found.notes]
    for cause in found.causes:
        lines += [
            "",
            f"{cause.change.value}: {_what(cause)}",
            *(f"    {line}" for line in _lines(cause, str)),
        ]
    return "\n".join([*lines, "", verdict(found)])


def as_markdown(found: Comparison) -> str:
    """For the summary of a CI job."""
    lines = [
        "## What changed",
        "",
        *(f"- {code(e.backend)}: {code(_versions(e.before, e.after))}" for e in found.engines),
    ]
    lines += [f"- {code(note)}" for note in found.notes]
    lines += ["", f"**{verdict(found)}**", ""]
    for cause in found.causes:
        lines += [f"### {cause.change.value}: {code(_what(cause))}", ""]
        lines += [f"- {line}" for line in _lines(cause, code)] + [""]
    return "\n".join(lines)


def as_html(found: Comparison) -> str:
    """A page of its own, without scripts."""
    body = [f"<h1>What changed</h1><p><strong>{html.escape(verdict(found))}</strong></p><ul>"]
    body += [f"<li>{html.escape(f'{e.backend}: {_versions(e.before, e.after)}')}</li>" for e in found.engines]
    body += [f"<li>{html.escape(note)}</li>" for note in found.notes]
    body += ["</ul>"]
    for cause in found.causes:
        items = "".join(f"<li>{line}</li>" for line in _lines(cause, _html_code))
        body += [f"<h2>{html.escape(f'{cause.change.value}: {_what(cause)}')}</h2><ul>{items}</ul>"]
    style = "body{font:1rem/1.5 system-ui;max-width:70rem;margin:2rem auto;padding:0 1rem}code{overflow-wrap:anywhere}"
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>What changed</title>'
        f"<style>{style}</style></head><body>{''.join(body)}</body></html>\n"
    )


def verdict(found: Comparison) -> str:
    """The comparison in one line."""
    counts = [f"{count} {name}" for name, count in found.counts.items()]
    if not counts:
        return f"nothing changed in {found.same} questions"
    word = "regressions" if found.is_regression else "no regression"
    return f"{word}: {', '.join(counts)}, {found.same} the same"


def code(text: str) -> str:
    """Untrusted text as code in Markdown, on one line, where it cannot end the code or a table's cell."""
    plain = "".join(c if c.isprintable() else " " for c in text).replace("`", "'").replace("|", "¦")
    return f"`{plain or ' '}`"


def _html_code(text: str) -> str:
    return f"<code>{html.escape(text)}</code>"


def _versions(before: str, after: str) -> str:
    if before == after:
        return before or "not started"
    return f"{before or 'not there'} -> {after or 'not there'}"


def _what(cause: Cause) -> str:
    count = len(cause.differences)
    how = f", now {cause.after}" if cause.after and cause.change in REGRESSIONS | {Change.CHANGED} else ""
    return f"{count} of {cause.backend}, check {cause.check} ({cause.clause}){how}{cause.message and ': '}{cause.message}"


def _lines(cause: Cause, shown: Callable[[str], str]) -> Iterator[str]:
    for difference in cause.differences[:SHOWN]:
        yield f"{shown(difference.id)} {shown(_change(difference))}"
    if len(cause.differences) > SHOWN:
        yield f"and {len(cause.differences) - SHOWN} more"


def _change(difference: Difference) -> str:
    if difference.cell_before or difference.cell_after:
        return " -> ".join(_readings(difference.cell_before, difference.cell_after))
    return f"{_answer(difference.before, difference.kind_before)} -> {_answer(difference.after, difference.kind_after)}"


def _readings(before: AtlasCell | None, after: AtlasCell | None) -> tuple[str, str]:
    """What was found at a point in both runs and, where that is the same, what else about it is not."""
    if before is None or after is None or before.found != after.found:
        found = [cell.found if cell else "nothing" for cell in (before, after)]
        return found[0], found[1]
    apart = next(
        n for n in ("standing", "declared", "among", "value") if getattr(before, n) != getattr(after, n)
    )
    shown = [f"{cell.found} ({apart} {getattr(cell, apart) or 'nothing'})" for cell in (before, after)]
    return shown[0], shown[1]


def _answer(verdict: str, kind: str) -> str:
    """The verdict, and how bad it is where it is a failure whose name does not say so."""
    says_it = verdict not in ("fail", "known") or not kind
    return (verdict or "not run") if says_it else f"{verdict} ({kind})"
