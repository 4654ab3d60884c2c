"""Every known failure has a script that shows it without this project, and the script runs."""

from __future__ import annotations

import os
import re
from collections import Counter
from pathlib import Path

import pytest

from conformance.runfile.known_file import read_known
from tests.standing_alone import run_alone

ROOT = Path(__file__).parents[1]
KNOWN = read_known(ROOT / "known-failures.toml")
SCRIPTS = sorted((ROOT / "docs" / "findings").glob("*.py"))
# Each imports its engine in a process of its own: of so many one is run, and all with CONFORMANCE_FAULTS=all.
EVERY = 1 if os.environ.get("CONFORMANCE_FAULTS") == "all" else 4


def test_every_known_failure_names_a_script_that_exists() -> None:
    assert {ROOT / entry.script for entry in KNOWN} <= set(SCRIPTS)


def test_every_known_failure_says_its_message() -> None:
    assert not [entry.ids for entry in KNOWN if not entry.says], (
        "another failure of the same id would not be new"
    )


def test_every_known_failure_says_what_it_is() -> None:
    assert not [entry.ids for entry in KNOWN if not entry.kind]
    assert not [
        e.ids for e in KNOWN if e.kind == "documented" and not (e.sentence and e.link.startswith("https://"))
    ]


def test_a_cause_is_listed_once() -> None:
    causes = [
        (entry.ids[0].partition("/")[0].rstrip("*"), entry.kind, entry.reason, entry.script)
        for entry in KNOWN
    ]
    assert not [cause for cause, times in Counter(causes).items() if times > 1]


def test_the_readme_shows_faults_alone() -> None:
    shown = set(re.findall(r"docs/findings/\w+\.py", (ROOT / "README.md").read_text(encoding="utf-8")))
    assert shown
    assert shown <= {entry.script for entry in KNOWN if entry.kind == "fault"}


def test_every_script_shows_a_known_failure() -> None:
    shown = {Path(entry.script).name for entry in KNOWN}
    assert {script.name for script in SCRIPTS} - shown <= {"torch_logsumexp_empty_dim.py"}


def test_no_script_imports_this_project() -> None:
    texts = {script.name: script.read_text(encoding="utf-8") for script in SCRIPTS}
    assert not [n for n, text in texts.items() if re.search(r"^\s*(import|from) conformance", text, re.M)]


@pytest.mark.costly
@pytest.mark.parametrize("script", SCRIPTS[len(SCRIPTS) % EVERY :: EVERY], ids=lambda script: script.stem)
def test_a_script_stands_alone_and_runs(script: Path, tmp_path: Path) -> None:
    shown = tmp_path / "shown"
    pytest.importorskip(script.stem.partition("_")[0])
    status = run_alone(script, shown)
    assert status == 0, shown.read_text(encoding="utf-8")
    assert shown.read_text(encoding="utf-8").strip()
