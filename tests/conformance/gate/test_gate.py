"""What a run means in CI: annotations, a summary that is not dropped, templates whose commands exist."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from conformance.cli import main, parser
from conformance.gate.comparison_text import as_html, as_markdown, as_text, code
from conformance.gate.github import ANNOTATIONS, LIMIT, add_to_summary, annotated, cut_to
from conformance.runfile.compare import compare
from conformance.runfile.records import Verdict

from ..runfile.drawn_runs import line, run_of

ROOT = Path(__file__).parents[3]


def test_a_summary_is_never_as_long_as_github_drops(tmp_path: Path) -> None:
    path = tmp_path / "summary"
    for _ in range(3):
        assert add_to_summary("é line\n" * 100_000, {"GITHUB_STEP_SUMMARY": str(path)})
    assert path.stat().st_size <= LIMIT < 2**20
    assert "Cut here" in path.read_text()
    assert not add_to_summary("x", {})


@given(st.text(max_size=500), st.integers(0, 600))
def test_what_is_cut_fits(text: str, room: int) -> None:
    assert len(cut_to(text, room).encode("utf-8", errors="replace")) <= room


def test_failures_are_annotations_of_one_line_each() -> None:
    failing = [
        line(f"f{i}", Verdict.ERROR, f"{'abcdefghijklmno'[i] * 5}Error: a\nb: 50 %") for i in range(15)
    ]
    lines = list(annotated(run_of(failing)))
    assert len(lines) == ANNOTATIONS
    assert all(re.fullmatch(r"::error title=[^\n:,]+::[^\n]+", each) for each in lines), lines
    assert "6 more causes" in lines[-1]


def test_a_comparison_is_text_markdown_and_html_that_nothing_escapes() -> None:
    hostile = "<script>alert(1)</script> `|` \x1b[2J"
    found = compare(run_of([line("tanh", Verdict.PASS)]), run_of([line("tanh", Verdict.FAIL, hostile)]))
    assert "newly failing" in as_text(found)
    assert "<script>" not in as_html(found)
    assert code("`|\n").count("`") == 2
    assert "regressions: 1 newly failing" in as_markdown(found)


TEMPLATES = ("action.yml", "docs/templates/gitlab.yml", "github", "gitlab")


def text_of(template: str, folder: Path) -> str:
    """A template of this project; one that `new-backend` writes, as it writes it."""
    if "." in template:
        return (ROOT / template).read_text(encoding="utf-8")
    path = folder / "ci.yml"
    named = ["new-backend", "mine", "-o", str(folder / "it's: #mine.py"), f"--{template}", str(path)]
    assert main(named) == 0
    return path.read_text(encoding="utf-8")


def scripts_in(node: Any) -> Iterator[str]:
    """The shell scripts of a workflow: what `run` or `script` holds."""
    if isinstance(node, list):
        node = dict(enumerate(node))
    for key, value in node.items() if isinstance(node, dict) else ():
        if key in ("run", "script"):
            yield value if isinstance(value, str) else "\n".join(value)
        else:
            yield from scripts_in(value)


@pytest.mark.parametrize("template", TEMPLATES)
def test_a_template_is_sound_and_uses_commands_and_flags_that_exist(template: str, tmp_path: Path) -> None:
    document = yaml.safe_load(text_of(template, tmp_path))
    scripts = "\n".join(scripts_in(document))
    checked = subprocess.run(["bash", "-n"], input=scripts, text=True, capture_output=True, check=False)
    assert not checked.stderr
    calls = re.findall(r"^ *conformance ([\w-]+) (.*)$", scripts.replace("\\\n", " "), re.MULTILINE)
    assert {verb for verb, _ in calls} == {"run", "compare"}
    assert any("--rerun-failed" in rest for _, rest in calls)
    for verb, rest in calls:
        known = parser()._subparsers._group_actions[0].choices[verb].format_help()  # type: ignore[union-attr]
        assert re.findall(r"(?<![\w-])(--[a-z-]+|-o)\b", rest)
        for flag in re.findall(r"(?<![\w-])(--[a-z-]+|-o)\b", rest):
            assert re.search(rf"{flag}\b", known), flag


@pytest.mark.parametrize("template", ["github", "gitlab"])
def test_a_workflow_of_new_backend_names_the_adapter_whatever_it_is_called(
    template: str, tmp_path: Path
) -> None:
    document = yaml.safe_load(text_of(template, tmp_path))
    job = document["jobs"]["conformance"]["steps"][-4] if template == "github" else document["conformance"]
    assert (job.get("env") or job["variables"])["BACKEND"] == str(tmp_path / "it's: #mine.py")


@pytest.mark.parametrize("template", ["github", "gitlab"])
def test_a_short_workflow_asks_the_same_part_in_every_run(template: str, tmp_path: Path) -> None:
    path = tmp_path / "ci.yml"
    assert (
        main(["new-backend", "mine", "-o", str(tmp_path / "mine.py"), f"--{template}", str(path), "--short"])
        == 0
    )
    (script,) = (s for s in scripts_in(yaml.safe_load(path.read_text(encoding="utf-8"))) if "exit" in s)
    (tmp_path / "op" / "x").mkdir(parents=True)
    (tmp_path / "op" / "x" / "vjp").touch()  # a star that the shell replaced would name this file
    (tmp_path / "conformance").write_text('#!/usr/bin/env bash\necho "$*" >> calls\n')
    (tmp_path / "conformance").chmod(0o755)
    (tmp_path / "pip").symlink_to("/bin/true")
    environment = {"PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}", "BACKEND": "mine.py"}
    done = subprocess.run(
        ["bash", "-e", "-c", script], cwd=tmp_path, env={**environment, "CI_COMMIT_BRANCH": "a"}, check=False
    )
    assert done.returncode == 0
    assert "mine.py -q op/*/vjp -q contract -q capability --force" in (tmp_path / "calls").read_text()


# A command that ends with the code it is given, and notes what it was called with.
FAKE = """#!/usr/bin/env bash
echo "$1 ${*: -1}" >> "$CALLS"
case "$1 $*" in
  run*--rerun-failed*) exit "$AGAIN" ;;
  run*) touch conformance.jsonl; exit "$FIRST" ;;
  *) exit "$COMPARED" ;;
esac
"""


@pytest.mark.parametrize("template", ["github", "gitlab"])
@pytest.mark.parametrize(
    ("first", "again", "compared", "code", "verbs"),
    [
        (0, 0, 0, 0, "run compare"),
        (1, 0, 0, 0, "run run compare"),
        (1, 1, 1, 1, "run run compare"),
        (1, 1, 0, 0, "run run compare"),
        (3, 0, 0, 3, "run"),
        (11, 0, 0, 11, "run"),
    ],
)
def test_a_workflow_is_red_for_what_fails_twice_and_did_not_before(
    template: str, first: int, again: int, compared: int, code: int, verbs: str, tmp_path: Path
) -> None:
    (script,) = (s for s in scripts_in(yaml.safe_load(text_of(template, tmp_path))) if "exit" in s)
    (tmp_path / "conformance").write_text(FAKE)
    (tmp_path / "conformance").chmod(0o755)
    (tmp_path / "pip").symlink_to("/bin/true")
    (tmp_path / "baseline.jsonl").touch()
    answers = {"FIRST": str(first), "AGAIN": str(again), "COMPARED": str(compared)}
    search = f"{tmp_path}{os.pathsep}{os.environ['PATH']}"
    branches = {"CI_COMMIT_BRANCH": "topic", "CI_DEFAULT_BRANCH": "main"}
    environment = {"PATH": search, "CALLS": str(tmp_path / "calls"), "BACKEND": "mine.py", **branches}
    done = subprocess.run(
        ["bash", "-e", "-c", script], cwd=tmp_path, env={**environment, **answers}, check=False
    )
    assert done.returncode == code
    assert [line.split()[0] for line in (tmp_path / "calls").read_text().splitlines()] == verbs.split()
