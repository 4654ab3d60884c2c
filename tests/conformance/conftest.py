"""What tests of the command line share: a way to run it in a folder of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from conformance.runfile.jsonl import Run, read_run
from conformance.runfile.records import ResultLine

ADAPTERS = Path(__file__).parent.parent / "adapters"


@dataclass(frozen=True)
class Completed:
    """What a command left behind."""

    code: int
    out: str
    err: str
    folder: Path

    @property
    def said(self) -> str:
        """Everything it printed."""
        return self.out + self.err

    @property
    def run(self) -> Run:
        """The run file."""
        return read_run(self.folder / "run.jsonl")

    @property
    def verdicts(self) -> dict[str, str]:
        """The verdicts by id."""
        return {result.id: result.verdict.value for result in self.run.results}

    def result(self, identifier: str) -> ResultLine:
        """One result."""
        return next(result for result in self.run.results if result.id == identifier)


Command = Callable[..., Completed]


def clean_environment() -> dict[str, str]:
    """The environment without what the pytest around us, or a user's settings, would tell the command."""
    return {k: v for k, v in os.environ.items() if not k.startswith(("PYTEST_", "CONFORMANCE_", "COV_"))}


@pytest.fixture
def command(tmp_path: Path) -> Command:
    """Runs `python -m conformance.cli...` in an empty folder."""

    def run(*arguments: object, **environment: str) -> Completed:
        done = subprocess.run(
            [
                sys.executable,
                "-c",
                "import sys; from conformance.cli import main; sys.exit(main())",
                *map(str, arguments),
            ],
            cwd=tmp_path,
            env={**clean_environment(), **environment},
            capture_output=True,
            encoding="utf-8",
            timeout=300,  # a busy machine takes three times as long
            check=False,
        )
        return Completed(done.returncode, done.stdout, done.stderr, tmp_path)

    return run


@pytest.fixture
def adapters() -> Path:
    """The folder of the miniature adapters."""
    return ADAPTERS
