"""A badge as SVG: how much of what was decided passes, and what fails that is not known.

A known failure is no pass: an engine with many of them is not shown as all right.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape, quoteattr

from conformance.runfile.jsonl import Run
from conformance.runfile.records import UNEXPECTED, Verdict
from conformance_reports.junit import legal
from conformance_reports.united import unite

SUFFIXES = (".svg",)
LONGEST = 60  # characters of either side
ASIDE = (Verdict.UNSUPPORTED, Verdict.UNDECIDED)  # neither a pass nor a failure
# White text on each of them has a contrast of at least 4.5 (WCAG 2.2, 1.4.3).
COLOURS = {"green": "#2a7a1f", "yellow": "#8a6200", "red": "#c0362c", "grey": "#5f5f5f"}
SHIELDS = {"green": "brightgreen", "yellow": "yellow", "red": "red", "grey": "lightgrey"}
CHARACTER, MARGIN = 7, 10  # pixels of text in 11 px Verdana, whose width `textLength` fixes, and beside it


@dataclass(frozen=True)
class Badge:
    """The two sides of a badge, and its colour: green, yellow, red or grey."""

    label: str
    message: str
    colour: str


def badge_of(runs: Sequence[Run]) -> Badge:
    """What the runs amount to; the gravest decides the colour."""
    run = unite(runs)
    counts = Counter(result.verdict for result in run.results)
    engines = {f"{line.engine} {line.version}".strip() for line in run.header.backends}
    label = _brief(f"{engines.pop()} conformance" if len(engines) == 1 else "gradient conformance")
    decided = sum(count for verdict, count in counts.items() if verdict not in ASIDE)
    passed = counts[Verdict.PASS] + counts[Verdict.FIXED]
    text = f"{passed} of {decided} pass"
    if new := sum(counts[verdict] for verdict in UNEXPECTED):
        return Badge(label, f"{text}, {new} new failures" if new > 1 else f"{text}, 1 new failure", "red")
    if any(line.error for line in run.header.backends):
        return Badge(label, "could not start", "red")
    if not run.is_complete or not decided:
        return Badge(label, f"{text}, not complete", "grey")
    if known := counts[Verdict.KNOWN]:
        return Badge(label, f"{text}, {known} known", "yellow")
    return Badge(label, text, "green")


def render(runs: Sequence[Run]) -> str:
    """A flat badge of two parts, readable without colours and by a screen reader."""
    badge = badge_of(runs)
    left, right = (len(text) * CHARACTER + 2 * MARGIN for text in (badge.label, badge.message))
    title = f"{badge.label}: {badge.message}"
    texts = "".join(
        f'<text x="{x}" y="14" textLength="{len(text) * CHARACTER}">{escape(text)}</text>'
        for x, text in ((left / 2, badge.label), (left + right / 2, badge.message))
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + right}" height="20" role="img" '
        f"aria-label={quoteattr(title)}><title>{escape(title)}</title>"
        f'<rect width="{left}" height="20" fill="#444"/>'
        f'<rect x="{left}" width="{right}" height="20" fill="{COLOURS[badge.colour]}"/>'
        f'<g fill="#fff" text-anchor="middle" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">{texts}</g>'
        "</svg>\n"
    )


def _brief(text: str) -> str:
    """An engine's words on one line."""
    plain = " ".join(legal(text).split())
    return plain if len(plain) <= LONGEST else f"{plain[:LONGEST]}…"
