"""Every known failure has a script that shows it without this project, and the script runs."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from conformance.runfile.known import read_known

ROOT = Path(__file__).parents[1]
KNOWN = read_known(ROOT / "known-failures.toml")
SCRIPTS = sorted((ROOT / "docs" / "findings").glob("*.py"))


def test_every_known_failure_names_a_script_that_exists() -> None:
    assert {ROOT / entry.script for entry in KNOWN} <= set(SCRIPTS)


def test_every_known_failure_says_its_message() -> None:
    assert not [entry.id for entry in KNOWN if not entry.says], (
        "another failure of the same id would not be new"
    )


def test_every_script_shows_a_known_failure() -> None:
    shown = {Path(entry.script).name for entry in KNOWN}
    assert {script.name for script in SCRIPTS} - shown <= {"torch_logsumexp_empty_dim.py"}


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_a_script_stands_alone_and_runs(script: Path) -> None:
    text = script.read_text(encoding="utf-8")
    assert not re.search(r"^\s*(import|from) conformance", text, re.M)
    pytest.importorskip(script.stem.partition("_")[0])
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()
