"""`list` names what there is, finds it by a query, and proves the ops it lists."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs
from rich.console import Console

from conformance.checks import load_all
from conformance.clauses import STANDARD
from conformance.cli import main
from conformance.cli.console import domain_in_brief, matches, parameters_of, print_blocks
from conformance.op import NONZERO, UNIT, Domain
from conformance.ops import ALL_OPS, CATALOGUE, find
from conformance.oracle.proof import Proof
from conformance.points import SPECIAL_POINTS
from conformance.runfile.jsonl import encode, read_run
from conformance.runfile.records import EndLine, Verdict
from conformance.selfcheck import proofs

from ..runfile.drawn_runs import HEADER, line


def listed(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(["list", *arguments]) == 0
    return capsys.readouterr().out


def listed_json(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    return json.loads(listed(capsys, *arguments, "--json"))


def refusal(capsys: pytest.CaptureFixture[str], code: int, *arguments: str) -> str:
    assert main(["list", *arguments]) == code
    out, err = capsys.readouterr()
    assert not out
    return err


def test_the_coverage_of_ops_that_a_run_has_not_is_nothing_selected(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    seen = structs.replace(line("tanh", Verdict.PASS), rows=(1, 2))
    path = tmp_path / "run.jsonl"
    path.write_text("\n".join(map(encode, (HEADER, seen, EndLine(True, {"pass": 1})))))
    assert "of such an op" in refusal(capsys, 5, "ops", "exp", "--coverage", str(path))
    assert "tanh" in listed(capsys, "ops", "tanh", "--coverage", str(path))


def test_every_op_is_listed_once(capsys: pytest.CaptureFixture[str]) -> None:
    lines = listed(capsys, "ops").splitlines()
    assert [line.split()[0] for line in lines] == ["name", *ALL_OPS]


def test_an_op_is_listed_with_what_it_takes(capsys: pytest.CaptureFixture[str]) -> None:
    (op,) = listed_json(capsys, "ops", "log_softmax")
    assert op["family"] == "activations"
    assert op["operands"] == ["real"]
    assert op["parameters"]["axis"][0] == "-1"


def test_an_alias_finds_its_op(capsys: pytest.CaptureFixture[str]) -> None:
    assert [op["name"] for op in listed_json(capsys, "ops", "concatenate")] == ["concat"]


def test_a_pattern_is_the_whole_of_a_name(capsys: pytest.CaptureFixture[str]) -> None:
    names = [op["name"] for op in listed_json(capsys, "ops", "log?")]
    assert names == ["log2"]


@pytest.mark.parametrize(
    ("noun", "key", "expected"),
    [("clauses", "number", list(STANDARD)), ("checks", "check", sorted(load_all()))],
)
def test_clauses_and_checks_are_listed(
    noun: str, key: str, expected: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert [entry[key] for entry in listed_json(capsys, noun)] == expected


def test_points_of_an_op_have_their_operands_and_conventions(capsys: pytest.CaptureFixture[str]) -> None:
    point = listed_json(capsys, "points", "relu/at-0")[0]
    assert (point["point"], point["nature"], point["operands"]) == ("relu/at-0", "kink", ["0"])
    assert set(point["conventions"]) >= {"left", "right"}


def test_every_point_is_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert [entry["point"] for entry in listed_json(capsys, "points")] == list(SPECIAL_POINTS)


def test_a_clause_is_found_by_a_word_of_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert "B1 " in listed(capsys, "clauses", "k contributions")


def test_backends_say_whether_they_are_installed(capsys: pytest.CaptureFixture[str]) -> None:
    backends = {entry["name"]: entry for entry in listed_json(capsys, "backends", "numpy")}
    assert backends["numpy"]["state"] == "installed"
    assert backends["numpy"]["version"]


def test_mutants_name_their_killers(capsys: pytest.CaptureFixture[str]) -> None:
    for mutant in listed_json(capsys, "mutants"):
        assert mutant["wrong"]
        assert set(mutant["kills"]) <= set(load_all())


def test_markup_in_data_is_printed_as_it_is(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from conformance.cli import list as verb

    hostile = "[bold]no[/bold] [/]"
    monkeypatch.setitem(verb.NOUNS, "ops", lambda: iter([verb.Entry({"name": hostile}, (hostile,))]))
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert hostile in listed(capsys, "ops")


@pytest.mark.parametrize("noun", ["ops", "points", "clauses", "checks"])
def test_no_line_is_longer_than_a_terminal_of_80_columns(
    noun: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "80")
    shown = re.sub(r"\x1b\[[0-9;]*m", "", listed(capsys, noun))
    assert max(map(len, shown.splitlines())) <= 80


def test_an_unknown_noun_is_answered_with_a_near_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert "did you mean ops" in refusal(capsys, 4, "opps")


def test_a_query_that_matches_nothing_selects_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    assert "tanh" in refusal(capsys, 5, "ops", "tahn")
    assert "conformance list checks" in refusal(capsys, 5, "checks", "qqqqqqqq")


@pytest.mark.parametrize("arguments", [("clauses", "--proofs"), ("ops", "-o", "run.jsonl")])
def test_flags_that_do_not_fit_are_refused(
    arguments: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    assert "list ops --proofs" in refusal(capsys, 4, *arguments)


# ---- proofs ---------------------------------------------------------------------------------------


def test_proofs_are_printed_with_their_oracle(capsys: pytest.CaptureFixture[str]) -> None:
    out = listed(capsys, "ops", "abs", "--proofs")
    assert "extended precision" in out
    assert "2/2 rows proven" in out  # abs and complex_abs


def test_proofs_are_written_as_a_run_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "deep" / "proofs.jsonl"
    listed(capsys, "ops", "sq*", "--proofs", "-o", str(path))
    run = read_run(path)
    assert run.is_complete
    assert [proof.op for proof in run.proofs] == ["square", "sqrt", "squeeze", "squareplus"]
    assert all(proof.cases > 0 for proof in run.proofs)


def test_a_row_that_is_not_proven_fails(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(proofs, "prove_row", lambda name: Proof(name, "complex step", 1e-3, 7))
    assert main(["list", "ops", "tanh", "--proofs"]) == 1
    assert "NOT PROVEN" in capsys.readouterr().out


def test_proofs_as_json_are_nothing_but_json(capsys: pytest.CaptureFixture[str]) -> None:
    (proof,) = listed_json(capsys, "ops", "tanh_*", "--proofs")
    assert proof["op"] == "tanh_shrink"
    assert proof["holds"] is True


@pytest.mark.costly
def test_many_rows_are_proven_by_several_processes() -> None:
    names = list(CATALOGUE)[:9]
    assert [proof.op for proof in proofs.prove_rows(names, workers=2)] == names


# ---- words ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("domain", "text"),
    [
        (Domain(), "real"),
        (NONZERO, "real ≠ 0"),
        (UNIT, "−1 < real < 1"),
        (Domain(high=2.5), "real < 2.5"),
        (find("sort").domain(0), "distinct"),
        (find("cholesky").domain(0), "positive definite"),
    ],
)
def test_domains_are_abbreviated(domain: Domain, text: str) -> None:
    assert domain_in_brief(domain) == text


def test_parameters_begin_with_the_simplest_value() -> None:
    found = parameters_of(find("sum"))
    assert found["axis"][0] is None
    assert found["keepdims"] == [False, True]
    assert (-1, 0) in found["axis"]


def test_queries_ignore_case() -> None:
    assert matches(["Matmul"], "MAT")
    assert matches(["Matmul"], "mat*")
    assert not matches(["Matmul"], "mat?")


@pytest.mark.parametrize("width", [1, 4, 30])
def test_a_terminal_that_is_too_narrow_for_a_word_has_the_rows_nevertheless(width: int) -> None:
    written = io.StringIO()
    console = Console(file=written, width=width, force_terminal=True, color_system=None)
    print_blocks(console, [["tanh", "elementwise", "what it takes, and what else it may be given"]])
    assert "given" in written.getvalue().replace("\n", "")


def test_the_coverage_of_a_damaged_run_is_shown_with_a_warning(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    seen = structs.replace(line("tanh", Verdict.PASS), rows=(1, 2))
    path = tmp_path / "run.jsonl"
    path.write_text("\n".join((encode(HEADER), "{broken", encode(seen))))
    for arguments in ((), ("--json",)):
        assert main(["list", "ops", "tanh", "--coverage", str(path), *arguments]) == 12
        out, err = capsys.readouterr()
        assert "tanh" in out
        assert "run.jsonl is not complete: line 2: " in err
