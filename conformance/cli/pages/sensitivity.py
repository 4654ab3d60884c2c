"""The page of the sensitivity, in Markdown, with the data it is made from.

`conformance sensitivity -o docs/data/sensitivity.json` measures; `explain sensitivity -o FILE` writes the page.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from conformance.selfcheck.sensitivity import Figure

COMMAND = "conformance explain sensitivity -o docs/sensitivity.md"
DATA = "data/sensitivity.json"
FALSE_ALARM, NOTHING = "wrong as it is", "none"


def read_figures(path: Path) -> list[Figure]:
    """The figures in a file; raises UsageError where it is missing or something else."""
    import msgspec

    from conformance.errors import UsageError
    from conformance.selfcheck.sensitivity import Figure

    try:
        return msgspec.json.decode(path.read_bytes(), type=list[Figure])
    except OSError as error:
        raise UsageError(
            f"cannot read {path}: {error.strerror}; measure it: conformance sensitivity -o {path}"
        ) from None
    except msgspec.DecodeError as error:
        raise UsageError(f"{path} does not hold figures of sensitivity: {error}") from None


def as_json(figures: Iterable[Figure]) -> str:
    """The figures as JSON, one to a line."""
    import msgspec

    return "[\n" + ",\n".join(msgspec.json.encode(figure).decode() for figure in figures) + "\n]\n"


def table(figures: Sequence[Figure]) -> tuple[list[str], list[list[str]]]:
    """The headings, and a row per backend and op."""
    columns = list(dict.fromkeys((f.dtype, f.tester) for f in figures))
    cells: dict[tuple[str, str], dict[tuple[str, str], Figure]] = {}
    for figure in figures:
        cells.setdefault((figure.backend, figure.op), {})[figure.dtype, figure.tester] = figure
    rows = [
        [backend, op, *(_cell(found.get(column)) for column in columns), _why(found.values())]
        for (backend, op), found in cells.items()
    ]
    return ["backend", "op", *(f"{tester} {dtype}" for dtype, tester in columns), "why not less"], rows


def _cell(figure: Figure | None) -> str:
    if figure is None:
        return ""
    if figure.is_false_alarm:
        return FALSE_ALARM
    return NOTHING if figure.smallest is None else f"{figure.smallest:.1e}"


def _why(figures: Iterable[Figure]) -> str:
    return "; ".join(f"{f.dtype}: {f.why}" for f in figures if f.why)


def summary(figures: Sequence[Figure]) -> list[str]:
    """A line per backend, dtype and tester: the median, of how many ops, and the false alarms; then, by dtype, the
    suite's medians over the ops that all backends have.
    """
    from conformance.selfcheck.sensitivity import medians, of_shared_ops

    lines = []
    for (backend, tester, dtype), found in medians(figures).items():
        alarms = f"{found.alarms} called wrong as they are" if found.alarms else ""
        median = f"notices {found.median:.1e} in the median of {found.ops} ops" if found.ops else ""
        lines.append(f"{backend} {dtype}: {tester} {', '.join(filter(None, (median, alarms)))}")
    shared: dict[tuple[str, str, int], list[str]] = {}
    for (backend, tester, dtype), found in medians(of_shared_ops(figures)).items():
        shared.setdefault((tester, dtype, found.ops), []).append(f"{found.median:.1e} on {backend}")
    return lines + [
        f"the ops that all of these have ({count}), {dtype}: {tester} notices {', '.join(found)}"
        for (tester, dtype, count), found in shared.items()
    ]


INTRODUCTION = f"""\
# Sensitivity

How small an error in a gradient does a test of gradients notice?
Each operand's gradient is multiplied by 1 + e, and e is made smaller until the test passes.
This suite and the engines' own tests, with their default settings, get the same cases.

- A number is the smallest e that the test notices.
- `{FALSE_ALARM}`: the test fails with no error planted. That is a false alarm, or a fault of the engine.
- `{NOTHING}`: the test does not even notice e = 1.

This page is written by `{COMMAND}` from `docs/{DATA}`.
`conformance sensitivity BACKEND... -o docs/{DATA}` measures the data.

"""


def page(figures: Sequence[Figure]) -> str:
    """The same as a page of Markdown."""
    headings, rows = table(figures)
    lines = [*(f"- {line}" for line in summary(figures)), "", *_markdown(headings, rows)]
    return INTRODUCTION + "\n".join(lines) + "\n"


def _markdown(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    return [f"| {' | '.join(row)} |" for row in (headings, ["---"] * len(headings), *rows)]
