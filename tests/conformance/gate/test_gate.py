"""What a run means in CI: annotations, a summary that is not dropped, templates whose commands exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.cli import parser
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


@pytest.mark.parametrize("path", ["action.yml", "docs/templates/gitlab.yml"])
def test_a_template_uses_commands_and_flags_that_exist(path: str) -> None:
    text = (ROOT / path).read_text().replace("\\\n", " ")
    for verb, rest in re.findall(r"conformance (run|compare) ([^\n]*)", text):
        flags = re.findall(r"(?<![\w-])(--[a-z-]+|-o)", rest)
        assert flags
        for flag in flags:
            assert flag in parser()._subparsers._group_actions[0].choices[verb].format_help()  # type: ignore[union-attr]
