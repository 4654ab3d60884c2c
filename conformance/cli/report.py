"""report: write a report from one or more run files."""

from __future__ import annotations

import argparse
import inspect
import sys
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import TYPE_CHECKING

from conformance.cli.console import add_json_flag, print_json
from conformance.errors import ConformanceError, UsageError, error_text
from conformance.importing import entry_points
from conformance.runfile.whole import write_whole

INCOMPLETE = 12  # the exit code of `conformance run`, which is heavy to import

if TYPE_CHECKING:
    from conformance.runfile.jsonl import Run


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The flags of `report`."""
    parser.add_argument(
        "runs", nargs="+", type=Path, metavar="RUN", help="run files; together they are one report"
    )
    parser.add_argument(
        "-o",
        "--output",
        action="append",
        default=[],
        type=Path,
        metavar="F",
        help="the report; its suffix decides the format, such as .html; may be given several times; without it, the "
        "causes are printed",
    )
    parser.add_argument(
        "--format", default="", metavar="NAME", help="the format, where the suffix does not decide it"
    )
    parser.add_argument(
        "--against",
        action="append",
        default=[],
        type=Path,
        metavar="RUN",
        help="an earlier run: the HTML report also shows what changed since; may be given several times",
    )
    parser.add_argument(
        "--site",
        type=Path,
        metavar="DIR",
        help="write a folder to be hosted: the HTML report with a page per engine, op and clause",
    )
    add_json_flag(parser)


def command(options: argparse.Namespace) -> int:
    """Write the reports, the site, or both, or else print the causes of all failures; 12 where a run file is not complete."""
    options.runs = distinct(options.runs)
    is_printed = not options.output and options.site is None
    if is_printed and (options.format or options.against):
        raise UsageError("-o FILE or --site DIR says where the report goes")
    if is_printed and not options.as_json:
        print_causes(read(options.runs))
    written: list[dict[str, str]] = []
    for report in [report_to(path, options.format) for path in options.output]:
        report.write(options.runs, options.against)
        written.append({"format": report.format, "path": str(report.path)})
        print(report)
    if options.site is not None:
        points = entry_points(group="conformance.reports", name="html")
        write_site = import_module(next(iter(points)).module.replace(".html", ".site")).write_site
        pages = write_site(options.site, read(options.runs), read(options.against))
        written.append({"format": "site", "path": str(options.site / "index.html")})
        print(f"{'site':14} {options.site / 'index.html'}, with {pages} pages beside it")
    is_whole = all(run.is_as_requested for run in silently(options.runs))
    if options.as_json:
        causes = {"causes": causes_in(silently(options.runs))} if is_printed else {}
        print_json({"written": written, "complete": is_whole, **causes})
    return 0 if is_whole else INCOMPLETE


def print_causes(runs: Sequence[Run]) -> None:
    """The causes of all failures, known or not, run by run, the worst first."""
    from conformance.cli.pages.run_end import lines_of
    from conformance.runfile.causes import causes_of
    from conformance.runfile.texts import printable

    for run in runs:
        causes = causes_of(run.header.backends, run.results)
        for line in lines_of(causes):
            print(printable(line))
        answered = {result.backend for result in run.results}
        if not run.header.backends:
            print("no backend, and no results")
        for backend in run.header.backends:
            if backend.error:
                print(printable(f"{backend.name} could not start: {backend.error}"))
            elif backend.name not in answered:
                print(printable(f"no results of {backend.name}"))
        if not causes and answered:
            print(printable(f"no failure in {', '.join(sorted(answered))}"))


def causes_in(runs: Sequence[Run]) -> list[dict[str, object]]:
    """The same for a program."""
    from conformance.runfile.causes import causes_of
    from conformance.runfile.severity import SEVERITY_TEXT

    return [
        {
            "engine": cause.engine,
            "severity": SEVERITY_TEXT[cause.severity],
            "is_known": cause.is_known,
            "title": cause.title,
            "ids": [result.id for result in cause.results],
        }
        for run in runs
        for cause in causes_of(run.header.backends, run.results)
    ]


def distinct(paths: Sequence[Path]) -> list[Path]:
    """The run files without those that have what an earlier one has, whose failures would count twice."""
    if len(paths) < 2:
        return list(paths)
    found: list[tuple[Path, Run]] = []
    for path, run in zip(paths, silently(paths), strict=True):
        earlier = next((other for other, read in found if read == run), None)
        if earlier is None:
            found.append((path, run))
        else:
            how = "given twice" if path == earlier else f"the same run as {earlier}"
            print(f"conformance: {path} is {how}: it counts once", file=sys.stderr)
    return [path for path, _ in found]


def silently(paths: Sequence[Path]) -> list[Run]:
    """The run files, without a word."""
    from conformance.runfile.jsonl import read_run

    return [read_run(path) for path in paths]


def read(paths: Sequence[Path]) -> list[Run]:
    """The run files, with a warning for each that is not complete; raises RunFileError for one that cannot be read."""
    runs = silently(paths)
    for path, run in zip(paths, runs, strict=True):
        if warning := run.warning(path):
            print(f"conformance: {warning}", file=sys.stderr)
    if len({run.header.spec.digest for run in runs}) > 1:
        found = ", ".join(f"{path}: {run.header.spec.digest}" for path, run in zip(paths, runs, strict=True))
        print(
            f"conformance: these runs are of different specifications ({found}); results of one name may be of "
            "different checks. Run the older one again for a report that says one thing.",
            file=sys.stderr,
        )
    return runs


@dataclass(frozen=True)
class Report:
    """A report to be written: where, and how its format renders runs."""

    path: Path
    format: str
    render: Callable[..., str]

    def __str__(self) -> str:
        return f"{self.format:14} {self.path}"

    def write(self, runs: Sequence[Path], against: Sequence[Path] = ()) -> None:
        """Write the report of run files.

        Raises RunFileError for a file that cannot be read, and ConformanceError where the format makes no text of it.
        """
        found = read(runs)
        if against and "against" not in inspect.signature(self.render).parameters:
            raise UsageError(
                f"the format {self.format} compares no runs; html does, and: conformance compare"
            )
        try:
            text = self.render(found, read(against)) if against else self.render(found)
            if not isinstance(text, str):
                raise TypeError(f"render returned {type(text).__name__}, where a text is expected")
        except (ConformanceError, KeyboardInterrupt):
            raise
        except BaseException as error:
            of = getattr(self.render, "__module__", "")
            raise ConformanceError(
                f"the report format {self.format}, of {of}, cannot render this: {error_text(error)}, {_place(error)}"
            ) from error
        write_whole(self.path, text)


def _place(error: BaseException) -> str:
    """Where something was raised."""
    (frame,) = traceback.extract_tb(error.__traceback__, limit=-1)
    return f"raised in {frame.filename}:{frame.lineno}"


def report_to(path: Path, name: str = "") -> Report:
    """The report at `path`, in the format `name` or else in that of the suffix.

    Raises UsageError, listing the registered formats, where there is none.
    """
    points = {point.name: point for point in entry_points(group="conformance.reports")}
    chosen = name or _by_suffix(path, points)
    if chosen not in points:
        listed = ", ".join(f"{n} ({' '.join(suffixes_of(point))})" for n, point in sorted(points.items()))
        missing = (
            f"there is no report format {name!r}" if name else f"the suffix of {path} is of no report format"
        )
        raise UsageError(f"{missing}; the formats are {listed or 'none: the project is not installed'}")
    from conformance.load import loaded

    return Report(path, chosen, loaded(points[chosen], "report format"))


def _by_suffix(path: Path, points: Mapping[str, EntryPoint]) -> str:
    """The format whose suffix the path has, the longest one: `.ctrf.json` before `.json`; "" where there is none."""
    endings = {suffix: name for name, point in points.items() for suffix in suffixes_of(point)}
    fitting = [suffix for suffix in endings if path.name.lower().endswith(suffix)]
    return endings[max(fitting, key=len)] if fitting else ""


def suffixes_of(point: EntryPoint) -> tuple[str, ...]:
    """The suffixes of a format: the `SUFFIXES` of its module, or else its name, also where that cannot be imported."""
    by_name = (f".{point.name}",)
    try:
        return tuple(getattr(import_module(point.module), "SUFFIXES", by_name))
    except KeyboardInterrupt:
        raise
    except BaseException:  # it costs no other format: `loaded` says what is wrong where this one is chosen
        return by_name
