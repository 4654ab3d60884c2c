"""What a run prints while it runs, and what its report has beside the results."""

from __future__ import annotations

import argparse
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest

from conformance.cli import main
from conformance.cli.pages.run_end import LISTED, in_words, lines_of, shown_of, unasked_points
from conformance.cli.progress import Progress
from conformance.cli.report import report_to
from conformance.cli.run import short_timing
from conformance.errors import UsageError
from conformance.run.conduct import INTERRUPTED, NOT_STARTED, Request
from conformance.runfile.causes import Cause, causes_of
from conformance.runfile.jsonl import SCHEMA
from conformance.runfile.records import (
    UNEXPECTED,
    BackendLine,
    EndLine,
    Evidence,
    ResultLine,
    RunLine,
    SpecLine,
    Verdict,
)
from conformance.runfile.severity import Severity

RUN = RunLine(SCHEMA, "r1", "2026-01-01T00:00:00+00:00", "quick", 0, SpecLine("0", "d"), {}, ())
LINE = ResultLine("mine/op/tanh/vjp/float64", "mine", "op", "tanh", "vjp", "E1", "must", "float64", Verdict.PASS, 1, 0.0)  # fmt: skip


def test_progress_says_how_much_time_is_left(monkeypatch: Any, capsys: Any) -> None:
    now = [0.0]
    monkeypatch.setattr("conformance.cli.progress.time.monotonic", lambda: now[0])
    progress = Progress()
    progress.begin(RUN, 13, [])
    for result in range(3):
        now[0] = 100.0 + 30.0 * result  # the engines took 100 s to start
        progress.result(LINE)
    said = capsys.readouterr().out
    assert "1/13 mine, 0 failed, starting" in said
    assert "3/13 mine, 0 failed, about 5 min left" in said  # ten more of 30 s


def test_beside_a_budget_the_time_for_the_whole_is_not_guessed(monkeypatch: Any, capsys: Any) -> None:
    now = [0.0]
    monkeypatch.setattr("conformance.cli.progress.time.monotonic", lambda: now[0])
    progress = Progress(budget=300.0)
    progress.begin(RUN, 29748, [])
    for result in range(2):
        now[0] = 60.0 * (result + 1)
        progress.result(LINE)
    said = capsys.readouterr().out
    assert "2/29748 mine, 0 failed, 3 min remain of the budget" in said
    assert "left" not in said


def test_special_points_of_ops_that_are_asked_whole_are_named() -> None:
    point = msgspec.structs.replace(LINE, id="mine/point/tanh/at-infinity/float64")
    asked = ("op/relu", "op/tanh/*", "op/pow/vjp", "op/matmul", "op/*")
    assert unasked_points(asked, [LINE, point]) == ["-q point/relu", "-q point/matmul"]
    assert unasked_points((), [LINE]) == []
    assert unasked_points(("op/max", "point/max"), [LINE]) == []  # a run may have ended before them
    assert unasked_points(("op/max", "point/max_where/*"), [LINE]) == ["-q point/max"]


def test_a_cause_says_what_its_worst_result_is_beside_the_expected_one() -> None:
    evidence = Evidence("the gradient differs", expected=[1.0], got=[2.0], pattern="what is expected times 2")
    wrong = msgspec.structs.replace(LINE, verdict=Verdict.FAIL, evidence=evidence)
    (_, worst) = lines_of(causes_of([BackendLine("mine", "mine", "1")], [wrong]))
    assert worst.strip() == "mine/op/tanh/vjp/float64 (what is expected times 2)"


@pytest.mark.parametrize(("seconds", "said"), [(119, "119 s"), (7199, "120 min"), (68220, "19 h")])
def test_a_time_is_said_in_a_unit_of_which_it_has_a_few(seconds: float, said: str) -> None:
    assert in_words(seconds) == said


@pytest.mark.parametrize(
    ("count", "said"), [(1, "1 failure that is not known"), (2, "2 failures that are not known")]
)
def test_the_end_of_a_run_in_a_file_has_the_number_of_failures_and_whole_headings(
    count: int, said: str, capsys: Any
) -> None:
    verdicts = [v for v in Verdict if v not in UNEXPECTED]
    lines = [
        msgspec.structs.replace(LINE, id=f"{LINE.id}/{n}", verdict=v)
        for n, v in enumerate([*verdicts, *[Verdict.FAIL] * count])
    ]
    header = msgspec.structs.replace(RUN, backends=(BackendLine("mine", "mine", "1.0"),))
    progress = Progress()
    progress.begin(header, len(lines), [])
    request = Request(("mine",), (), "quick", 0, 1, "", 1.0, Path("run.jsonl"), None)
    progress.end(header, lines, request, [], [])
    printed = capsys.readouterr().out
    assert said in printed
    for verdict in {*verdicts, Verdict.FAIL}:
        assert verdict.value in printed


@pytest.mark.parametrize(
    ("end", "timed", "said"),
    [
        (0, True, "timing the smallest programs; to leave this out: --no-timing"),
        (4, False, "no times: refused"),
        (subprocess.TimeoutExpired("bench", 1), False, "no times: they took more than"),
    ],
)
def test_the_report_of_a_run_has_a_short_timing_of_its_backends_or_says_why_not(
    end: Any, timed: bool, said: str, monkeypatch: Any, capsys: Any
) -> None:
    commands: list[list[str]] = []

    def run(command: list[str], **_: Any) -> Any:
        commands.append(command)
        if isinstance(end, Exception):
            raise end
        return subprocess.CompletedProcess(command, end, "", "refused\n")

    monkeypatch.setattr(subprocess, "run", run)
    options = argparse.Namespace(backends=["numpy", "torch"], output=Path("run.jsonl"))
    expected = [Path("run.timing.jsonl")] if timed else []
    assert short_timing(options, Progress()) == expected
    (command,) = commands
    assert command[3:] == [*("conformance", "bench", "numpy", "torch"), *("--size", "small", "-o", "run.timing.jsonl")]  # fmt: skip
    assert said in capsys.readouterr().out


def test_what_is_not_the_engines_is_listed_however_many_worse_causes_there_are() -> None:
    causes = [Cause("mine", Severity.WRONG, f"cause {n}", (LINE,), False) for n in range(2 * LISTED)]
    of_the_adapter = Cause("mine", Severity.OURS, "AttributeError", (LINE,), False)
    assert shown_of([*causes, of_the_adapter]) == [*causes[:LISTED], of_the_adapter]
    assert shown_of([causes[0], of_the_adapter]) == [causes[0], of_the_adapter]


def test_a_project_that_is_not_installed_has_no_report_formats(monkeypatch: Any, tmp_path: Path) -> None:
    monkeypatch.setattr("conformance.cli.report.entry_points", lambda **_: [])
    with pytest.raises(UsageError, match="the formats are none: the project is not installed"):
        report_to(tmp_path / "report.xml", "junit")


def ended(results: list[ResultLine], code: int, capsys: Any, error: str = "") -> str:
    """What is printed at the end of a run of two checks."""
    header = msgspec.structs.replace(RUN, backends=(BackendLine("mine", "mine", "1.0", error=error),))
    progress = Progress()
    progress.begin(header, 0 if error else 2, [])
    request = Request(("mine",), (), "quick", 0, 1, "", 1.0, Path("run.jsonl"), None)
    footer = EndLine(complete=False, counts={}, exit_code=code)
    progress.end(header, results, replace(request, footer=footer), [], [])
    return str(capsys.readouterr().out)


def test_an_interrupted_run_says_how_it_is_resumed_or_that_it_cannot_be(capsys: Any) -> None:
    said = ended([LINE], INTERRUPTED, capsys)
    assert "1 checks not run; to run them: conformance run mine --resume run.jsonl" in said
    said = ended([], INTERRUPTED, capsys)
    assert (
        "run.jsonl has no result, 2 checks not run; nothing was answered yet, so nothing is to resume" in said
    )
    assert "resume" not in ended([], NOT_STARTED, capsys)


def test_a_run_that_is_interrupted_before_it_asks_says_that_nothing_is_to_resume(
    tmp_path: Path, monkeypatch: Any, capsys: Any
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("conformance.run.conduct.describe_all", interrupted)
    assert main(["run", "numpy"]) == INTERRUPTED
    assert "interrupted before anything was asked; there is nothing to resume" in capsys.readouterr().err


def test_a_run_without_a_result_has_no_table(capsys: Any) -> None:
    said = ended([], NOT_STARTED, capsys, error="no such engine")
    assert "could not start\n  no such engine" in said
    assert "not deciding" not in said
    assert "explain verdicts" not in said
    assert "run file run.jsonl has no result\n" in said
    assert "not deciding" in ended([LINE], INTERRUPTED, capsys)


def test_a_run_in_which_nothing_was_checked_says_so(capsys: Any) -> None:
    both = (BackendLine("mine", "mine", "1", spec="my mine.py"), BackendLine("other", "other", "1"))
    lacks = msgspec.structs.replace(
        LINE, verdict=Verdict.UNSUPPORTED, evidence=Evidence(message="the engine has no tanh")
    )
    others = msgspec.structs.replace(LINE, id="other/op/tanh/vjp/float64", backend="other")
    said = (
        "nothing was checked of mine: it offers none of what was asked (the engine has no tanh); what its adapter lacks: "
        "conformance smoke 'my mine.py'\n"
    )

    def printed(results: list[ResultLine], *queries: str) -> str:
        header = msgspec.structs.replace(RUN, backends=both, queries=queries)
        Progress().end(header, results, Request((), queries, "quick", 0, 1, "", 0.0, Path("r"), None), (), ())
        return capsys.readouterr().out

    assert said in printed([lacks], "op/tanh")
    assert said in printed([lacks, others])
    assert "nothing was checked" not in printed([lacks, others], "op/tanh")  # another engine has it
    assert "nothing was checked" not in printed(
        [lacks, msgspec.structs.replace(LINE, id="mine/op/sin/vjp/float64")]
    )
