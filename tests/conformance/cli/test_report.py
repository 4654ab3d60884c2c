"""Report formats are those of the entry points, and a suffix chooses among them."""

from __future__ import annotations

import json
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from conformance.cli import main, report
from conformance.errors import UsageError
from conformance.runfile.jsonl import SCHEMA, encode
from conformance.runfile.known_file import read_known
from conformance.runfile.records import BackendLine, EndLine, RunLine, SpecLine, Verdict

from ..runfile.drawn_runs import line

RUN = RunLine(SCHEMA, "r1", "2026-01-01T00:00:00+00:00", "quick", 0, SpecLine("0", "d"), {}, ())


def register(monkeypatch: Any, **values: str) -> None:
    points = [EntryPoint(name, value, "conformance.reports") for name, value in values.items()]
    monkeypatch.setattr(report, "entry_points", lambda group: points)


@pytest.mark.parametrize(
    ("backend", "verdicts", "said"),
    [
        (BackendLine("mine", "mine", "1"), [Verdict.PASS], "no failure in mine"),
        (BackendLine("mine", "mine", "1"), [], "no results of mine"),
        (BackendLine("mine", "", "", error="it raised"), [], "mine could not start: it raised"),
    ],
)
def test_what_was_not_checked_is_not_said_to_be_without_failure(
    backend: BackendLine, verdicts: list[Verdict], said: str, capsys: Any
) -> None:
    results = [line("tan", verdict) for verdict in verdicts]
    lines = [replace(RUN, backends=(backend,)), *results, EndLine(True, {})]
    Path("run.jsonl").write_text("\n".join(map(encode, lines)))
    main(["report", "run.jsonl"])
    assert capsys.readouterr().out.strip() == said
    code = main(["known", "update", "run.jsonl"])
    assert code == (11 if backend.error else 0)
    assert Path("known-failures.toml").exists() != bool(backend.error)


@pytest.fixture(autouse=True)
def run_file(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    Path("run.jsonl").write_text(f"{encode(RUN)}\n{encode(EndLine(True, {}))}\n")


def test_entries_that_update_writes_have_the_kind_that_is_given(capsys: Any) -> None:
    header = replace(RUN, backends=(BackendLine("mine", "mine", "1"),))
    lines = [header, line("tan", Verdict.FAIL, "it is wrong"), EndLine(True, {})]
    Path("run.jsonl").write_text("\n".join(map(encode, lines)) + "\n")
    assert main(["known", "update", "run.jsonl", "--kind", "documented"]) == UsageError.exit_code
    assert "--sentence" in capsys.readouterr().err
    assert not Path("known-failures.toml").exists()
    words = ("--sentence", "no tangents", "--link", "https://example.org")
    assert main(["known", "update", "run.jsonl", "--kind", "documented", *words]) == 0
    (entry,) = read_known(Path("known-failures.toml"))
    assert (entry.kind, entry.sentence, entry.link) == ("documented", "no tangents", "https://example.org")


def test_what_a_run_calls_fixed_is_taken_out_of_the_list(capsys: Any) -> None:
    Path("known-failures.toml").write_text('[[known]]\nid = "mine/op/tan/vjp/float64"\nreason = "old"\n')
    header = replace(RUN, backends=(BackendLine("mine", "mine", "1"),))
    lines = [header, line("tan", Verdict.FIXED), EndLine(True, {})]
    Path("run.jsonl").write_text("\n".join(map(encode, lines)) + "\n")
    assert main(["known", "prune", "run.jsonl"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "taken out: mine/op/tan/vjp/float64",
        "the entry had no other id: old",
    ]
    assert main(["known", "prune", "run.jsonl", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["taken"] == []
    assert main(["known", "prune", "run.jsonl"]) == 0
    assert "calls no id of known-failures.toml fixed" in capsys.readouterr().out
    Path("run.jsonl").write_text("\n".join(map(encode, lines[:-1])) + "\n")
    assert main(["known", "prune", "run.jsonl"]) == 12


def test_without_a_place_for_a_report_the_causes_are_printed(capsys: Any) -> None:
    assert main(["report", "run.jsonl"]) == 0
    assert "no results" in capsys.readouterr().out
    failed = [line(op, Verdict.FAIL, "wrong\x1b[2J") for op in ("tan", "exp")]
    header = replace(RUN, backends=(BackendLine("mine", "mine", "1"),))
    Path("run.jsonl").write_text("\n".join(map(encode, [header, *failed, EndLine(True, {})])) + "\n")
    main(["report", "run.jsonl"])
    out = capsys.readouterr().out
    assert "2  mine" in out
    assert "mine/op/exp/vjp/float64" in out
    assert "\x1b" not in out
    main(["report", "run.jsonl", "--json"])
    (cause,) = json.loads(capsys.readouterr().out)["causes"]
    assert set(cause["ids"]) == {result.id for result in failed}
    assert main(["report", "run.jsonl", "--format", "csv"]) == 4


def test_a_run_that_is_given_twice_counts_once(capsys: Any) -> None:
    header = replace(RUN, backends=(BackendLine("mine", "mine", "1"),))
    lines = [header, line("tan", Verdict.FAIL, "it is wrong"), EndLine(True, {})]
    for name in ("run.jsonl", "copy.jsonl"):
        Path(name).write_text("\n".join(map(encode, lines)))
    assert main(["report", "run.jsonl"]) == 0
    once = capsys.readouterr()
    assert main(["report", "run.jsonl", "./run.jsonl", "copy.jsonl"]) == 0
    twice = capsys.readouterr()
    assert twice.out == once.out
    assert twice.err == (
        "conformance: run.jsonl is given twice: it counts once\n"
        "conformance: copy.jsonl is the same run as run.jsonl: it counts once\n"
    )


def test_a_registered_format_is_written_for_its_suffix(monkeypatch: Any, capsys: Any) -> None:
    register(monkeypatch, csv="conformance_reports.csv_report:render")
    assert main(["report", "run.jsonl", "-o", "new/x.csv"]) == 0
    assert Path("new/x.csv").read_text().startswith("id,backend,")
    assert "csv            new/x.csv" in capsys.readouterr().out


def test_several_reports_of_a_run_are_written_or_none(capsys: Any) -> None:
    assert main(["report", "run.jsonl", "-o", "a.xml", "-o", "b.pdf"]) == 4
    assert not Path("a.xml").exists()
    assert main(["report", "run.jsonl", "-o", "a.xml", "-o", "b.csv", "--json"]) == 0
    assert {"a.xml", "b.csv"} <= {path.name for path in Path().iterdir()}
    written = json.loads(capsys.readouterr().out)["written"]
    assert [(each["format"], each["path"]) for each in written] == [("junit", "a.xml"), ("csv", "b.csv")]


@pytest.mark.parametrize(("path", "name"), [("a.xml", "junit"), ("a.md", "markdown"), ("A.HTML", "html")])
def test_a_module_declares_its_suffixes_or_its_name_is_the_suffix(path: str, name: str) -> None:
    assert report.report_to(Path(path)).format == name


def test_a_format_that_is_not_registered_is_refused_with_those_that_are(monkeypatch: Any) -> None:
    register(
        monkeypatch, json="conformance_reports.json_report:render", junit="conformance_reports.junit:render"
    )
    listed = r"the formats are json \(\.json\), junit \(\.xml\)"
    with pytest.raises(UsageError, match=rf"the suffix of x\.html is of no report format; {listed}"):
        report.report_to(Path("x.html"))
    with pytest.raises(UsageError, match=rf"there is no report format 'html'; {listed}"):
        report.report_to(Path("x"), "html")


@pytest.mark.costly
def test_a_run_writes_any_reports_and_refuses_an_unknown_suffix_before_it_starts(capsys: Any) -> None:
    query = ["run", "numpy", "-n", "1", "-q", "op/tanh/shape", "-o", "own.jsonl"]
    assert main([*query, "--report", "a.pdf"]) == 4
    assert "the suffix of a.pdf is of no report format" in capsys.readouterr().err
    assert not Path("own.jsonl").exists()
    assert main([*query, "--report", "a.md", "--report", "a.json", "--junit", "a.txt"]) == 0
    assert Path("a.md").read_text().startswith("## Conformance")
    assert Path("a.json").read_text().startswith("{")
    assert Path("a.txt").read_text().startswith("<?xml")


# a module of somebody's, how often reports of other formats are written nevertheless, and what is said
BROKEN = {
    "absent": ("", "cannot be loaded: ModuleNotFoundError: No module named 'absent'"),
    "raises": ("raise RuntimeError('boom')", "cannot be loaded: RuntimeError: boom"),
    "exits": ("import sys\nsys.exit(0)", "cannot be loaded: SystemExit: 0"),
    "lacks": ("", "cannot be loaded: AttributeError"),
    "odd": (
        "SUFFIXES = 3\ndef render(runs): return None",
        "cannot render this: TypeError: render returned NoneType",
    ),
    "fails": (
        "def render(runs): raise RuntimeError('boom')",
        "cannot render this: RuntimeError: boom, raised in ",
    ),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_format_that_is_broken_is_said_in_a_line_and_costs_no_other(
    name: str, tmp_path: Path, monkeypatch: Any, capsys: Any
) -> None:
    source, said = BROKEN[name]
    if name != "absent":
        (tmp_path / f"{name}_format.py").write_text(source)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.chdir(tmp_path)
    module = name if name == "absent" else f"{name}_format"
    register(monkeypatch, zz=f"{module}:render", json="conformance_reports.json_report:render")
    Path("run.jsonl").write_text("\n".join(map(encode, (RUN, EndLine(True, {})))))
    assert main(["report", "run.jsonl", "-o", "report.zz"]) in (3, 4)
    printed = capsys.readouterr().err
    assert f"conformance: the report format zz, of {module}" in printed
    assert said in printed
    assert "Traceback" not in printed
    assert main(["report", "run.jsonl", "-o", "report.json"]) == 0
    assert not Path("report.zz").exists()
