"""GitHub: failures as annotations of a workflow, and a summary of its step."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from conformance.runfile.causes import causes_of
from conformance.runfile.jsonl import Run
from conformance.runfile.severity import SEVERITY_TEXT

ANNOTATIONS = 10  # of one kind in one step: GitHub shows no more
LIMIT = 1_000_000  # bytes of a step's summary: above 1 MiB GitHub drops it without a word
CUT = "\n\nCut here: GitHub shows no more. The run file has everything.\n"


def annotated(run: Run) -> Iterator[str]:
    """A line per cause that is not known, as a workflow command; the last says how many more there are."""
    causes = [cause for cause in causes_of(run.header.backends, run.results) if not cause.is_known]
    shown = causes if len(causes) <= ANNOTATIONS else causes[: ANNOTATIONS - 1]
    for cause in shown:
        title = f"{cause.engine}: {SEVERITY_TEXT[cause.severity]}"
        text = f"{cause.title} ({len(cause.results)} checks, such as {cause.worst.id})"
        yield f"::error title={_property(title)}::{_text(text)}"
    if len(causes) > len(shown):
        yield f"::error title=conformance::and {len(causes) - len(shown)} more causes, in the run file"
    if not run.is_complete:
        yield f"::warning title=conformance::{_text(f'the run is not complete: {run.missing}')}"


def add_to_summary(text: str, environment: Mapping[str, str] = os.environ) -> bool:
    """Add Markdown to the step's summary, cut where GitHub would drop all of it; whether there is a summary."""
    name = environment.get("GITHUB_STEP_SUMMARY", "")
    if not name:
        return False
    path = Path(name)
    room = LIMIT - (path.stat().st_size if path.is_file() else 0)
    with path.open("a", encoding="utf-8") as file:
        file.write(cut_to(text + "\n", room))
    return True


def cut_to(text: str, room: int) -> str:
    """The text in at most so many bytes of UTF-8, cut at the end of a line, with a line that says so."""
    if len(text.encode("utf-8", errors="replace")) <= room:
        return text
    kept = text.encode("utf-8", errors="replace")[: max(0, room - len(CUT.encode()))]
    whole = kept[: kept.rfind(b"\n") + 1].decode("utf-8", errors="ignore")
    return (whole + CUT)[: max(0, room)]


def is_on_github(environment: Mapping[str, str] = os.environ) -> bool:
    """Whether this process is a step of a workflow."""
    return environment.get("GITHUB_ACTIONS") == "true"


def _text(text: str) -> str:
    """The text of a workflow command."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    """A property of a workflow command."""
    return _text(text).replace(":", "%3A").replace(",", "%2C")
