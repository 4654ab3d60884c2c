"""The commands of a gate: the exit code of a comparison, what is run again, the level from which a failure counts."""

from __future__ import annotations

import html
import json
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from conformance.cli import main
from conformance.runfile.atlas_cell import AtlasCell
from conformance.runfile.jsonl import Run, encode
from conformance.runfile.records import Verdict

from ..runfile.drawn_runs import line, run_of


def written(name: str, run: Run) -> str:
    assert run.end is not None
    Path(name).write_text("\n".join(map(encode, (run.header, *run.results, run.end))) + "\n")
    return name


@pytest.mark.parametrize(
    ("before", "after", "code"),
    [
        (Verdict.PASS, Verdict.FAIL, 1),
        (Verdict.PASS, Verdict.UNSUPPORTED, 1),
        (Verdict.FAIL, Verdict.PASS, 0),
        (Verdict.FAIL, Verdict.FAIL, 0),
        (Verdict.FAIL, Verdict.KNOWN, 0),
    ],
)
def test_a_comparison_fails_for_regressions_alone_in_every_format(
    before: Verdict, after: Verdict, code: int, tmp_path: Path, monkeypatch: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    old, new = (
        written(f"{i}.jsonl", run_of([line("tanh", v, "it is off")])) for i, v in enumerate((before, after))
    )
    formats = [part for suffix in ("md", "json", "html") for part in ("-o", f"c.{suffix}")]
    assert main(["compare", old, new, *formats]) == code
    assert json.loads(Path("c.json").read_text())["engines"]
    for suffix in ("md", "html"):
        assert ("tanh" in Path(f"c.{suffix}").read_text()) == (before is not after)


def test_runs_that_have_no_question_in_common_compare_nothing(
    tmp_path: Path, monkeypatch: Any, capsys: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    old, new = (written(f"{name}.jsonl", run_of([line(name, Verdict.PASS)])) for name in ("tanh", "exp"))
    assert main(["compare", old, new]) == 12
    assert "have no question in common: nothing was compared" in capsys.readouterr().err
    assert main(["compare", old, old]) == 0


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        ((AtlasCell("zero", "fair"), AtlasCell("nan", "unfair")), "zero -> nan"),
        ((None, AtlasCell("nan", "unfair")), "nothing -> nan"),
        (
            (AtlasCell("nan", "fair"), AtlasCell("nan", "unfair")),
            "nan (standing fair) -> nan (standing unfair)",
        ),
        (
            (AtlasCell("both", "fair"), AtlasCell("both", "fair", declared="zero")),
            "both (declared nothing) -> both (declared zero)",
        ),
    ],
)
def test_a_special_point_that_changed_is_printed_before_and_after_and_fails_nothing(
    cells: tuple[AtlasCell | None, AtlasCell], said: str, tmp_path: Path, monkeypatch: Any, capsys: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    old, new = (
        written(f"{i}.jsonl", run_of([structs.replace(line("abs", Verdict.PASS), atlas=cell)]))
        for i, cell in enumerate(cells)
    )
    assert main(["compare", old, new, "-o", "c.md", "-o", "c.html"]) == 0
    shown = capsys.readouterr().out
    assert "atlas value changed" in shown
    for text in (shown, Path("c.md").read_text(), html.unescape(Path("c.html").read_text())):
        assert said in text


@pytest.mark.costly
def test_what_failed_is_run_again_and_counts_from_the_level_that_is_named(
    command: Any, adapters: Path
) -> None:
    asked = ("-q", "op/tanh/vjp/float64", "-q", "op/tanh/repeatable/float64")
    first = command("run", adapters / "restless.py", *asked, "-n", 1)
    assert first.code == 1
    assert list(first.verdicts.values()).count("fail") == 1
    again = command(
        *("run", adapters / "restless.py", "--rerun-failed", "run.jsonl", "-n", 1, "-o", "again.jsonl"),
        *("--fail-on", "must"),
    )
    assert again.code == 0, again.said
    lines = (again.folder / "again.jsonl").read_text().splitlines()
    results = [json.loads(each) for each in lines if '"type":"result"' in each]
    assert [(r["id"], r["verdict"], r["level"]) for r in results] == [
        ("restless/op/tanh/repeatable/float64", "fail", "should")
    ]
