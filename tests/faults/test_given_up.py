"""An op that hangs at every call costs a few time-outs, and not one for each question about it."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from conformance.questions import items_of
from conformance.run import journal
from conformance.run.process.deadline import LATE, LATE_IN_BUDGET, Limit
from conformance.run.workers.deaths import Deaths, not_asked
from conformance.runfile.jsonl import Run, read_run
from conformance.runfile.known import KnownFailure
from conformance.runfile.records import Verdict

from ..conformance.conftest import clean_environment

pytestmark = pytest.mark.costly

HANGS = """import time
from conformance_backends.numpy_backend import NumpyTape

class Hangs(NumpyTape):
    ops = {"tanh": lambda x: time.sleep(600), "exp": NumpyTape.ops["exp"]}
"""
LISTED = KnownFailure("mine/op/tanh/v*", "it hangs now and then", says="no answer within 3 s*")
WHY = f"{LATE} questions about tanh had no answer within 5 s each"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("hangs")
    (found / "hangs.py").write_text(HANGS)
    return found


def asked(folder: Path, *arguments: str) -> tuple[str, Run]:
    done = subprocess.run(
        [
            sys.executable,
            "-P",
            "-m",
            "conformance",
            "run",
            "hangs.py",
            "-n",
            "1",
            "--timeout",
            "5",
            *arguments,
        ],
        cwd=folder,
        env=clean_environment(),
        capture_output=True,
        encoding="utf-8",
        timeout=200,
        check=False,
    )
    assert done.returncode == 1, done.stdout + done.stderr
    return done.stdout, read_run(folder / "run.jsonl")


def test_the_questions_after_a_few_time_outs_are_given_up_and_asked_when_the_run_is_resumed(
    folder: Path,
) -> None:
    said, run = asked(folder, "-q", "op/tanh/*/float64", "-q", "op/exp/vjp/float64")
    counts = run.counts()
    assert counts["timeout"] == LATE
    assert counts["interrupted"] > LATE
    assert counts["pass"] == 1
    messages = {r.evidence.message for r in run.results if r.verdict is Verdict.INTERRUPTED and r.evidence}
    assert messages == {f"not asked, since {WHY}"}
    (printed,) = (text for text in said.splitlines() if text.startswith("no answer to"))
    assert printed == (
        f"no answer to {counts['interrupted']} questions of hangs: not asked, since {WHY}; "
        "to ask again: conformance run hangs.py --resume run.jsonl"
    )
    _, again = asked(folder, "--resume", "run.jsonl")
    assert again.counts()["timeout"] == 2 * LATE
    assert again.counts()["interrupted"] == counts["interrupted"] - LATE


def test_pytest_gives_up_too(folder: Path) -> None:
    done = subprocess.run(
        [
            *(sys.executable, "-m", "pytest", "-p", "no:xdist", "-p", "no:cacheprovider", "-rA"),
            *("--conformance-backend", "hangs.py", "--conformance-timeout", "5"),
            *("--conformance-query", "op/tanh/v*/float64"),
        ],
        cwd=folder,
        env=clean_environment(),
        capture_output=True,
        encoding="utf-8",
        timeout=200,
        check=False,
    )
    assert done.returncode == 1, done.stdout + done.stderr
    assert f"not asked, since {WHY}" in done.stdout


def test_within_a_budget_fewer_time_outs_are_paid(tmp_path: Path) -> None:
    (tmp_path / "worker.words").write_text("Timeout (0:00:03)!")
    (tmp_path / "worker.asked").write_text("1 c1:abc")
    asked = [item for item in items_of("mine", ("float64",)) if item.subject == "tanh"]
    deaths = Deaths({item.id: item for item in asked}, tmp_path, (), Limit(300.0, 3.0))
    for item in asked[:LATE_IN_BUDGET]:
        assert not journal.given_up(tmp_path)
        deaths.result("worker", item.id, code=1, is_overdue=False)
    assert journal.given_up(tmp_path) == {("mine", "tanh")}
    assert "within 3 s each" in not_asked(asked[-1], deaths.limit).evidence.message  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("known", "put", "seconds", "given_up"),
    [
        ((), 1, 0.5, {("mine", "tanh")}),
        ((), 9, 3.0, {("mine", "tanh")}),
        ((), 9, 0.5, set()),
        ((LISTED,), 1, 3.0, set()),
    ],
    ids=["the first question hangs", "a later one hangs", "many questions are slow", "it is known"],
)
def test_what_gives_up_is_one_question_that_took_the_time_and_is_news(
    known: tuple[KnownFailure, ...], put: int, seconds: float, given_up: set[tuple[str, str]], tmp_path: Path
) -> None:
    (tmp_path / "worker.words").write_text("Timeout (0:00:03)!")
    (tmp_path / "worker.asked").write_text(f"{put} c1:abc")
    since = time.time() - seconds
    os.utime(tmp_path / "worker.asked", (since, since))
    asked = [item for item in items_of("mine", ("float64",)) if item.subject == "tanh"]
    deaths = Deaths({item.id: item for item in asked}, tmp_path, known, Limit(3.0))
    for item in [item for item in asked if item.check.startswith("op/v")][:LATE]:
        assert deaths.result("worker", item.id, code=1, is_overdue=False) is not None
    assert journal.given_up(tmp_path) == given_up
