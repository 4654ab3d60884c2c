"""`explain` says of any id what it means, and computes its examples by the rule it explains."""

from __future__ import annotations

import math
import re

import msgspec
import numpy as np
import pytest

from conformance.checks import load_all
from conformance.clauses import STANDARD
from conformance.cli import main
from conformance.cli.console import names_of
from conformance.cli.explain_op import in_words, worked
from conformance.cli.pages.run_end import table_of
from conformance.cli.pages.verdict_words import LINES
from conformance.op import OperandKind, index_below
from conformance.ops import CATALOGUE, FLAT, find
from conformance.run.failure_text import failure_text
from conformance.runfile.diagnostics import Agreement, Diagnostic
from conformance.runfile.records import BackendLine, Evidence, ResultLine, RunLine, SpecLine, Verdict


def explained(capsys: pytest.CaptureFixture[str], identifier: str) -> str:
    assert main(["explain", identifier]) == 0
    out, err = capsys.readouterr()
    assert not err
    return out


def in_one_line(text: str) -> str:
    """The text as if it had not been wrapped."""
    return " ".join(text.split())


def test_a_formula_with_which_a_docstring_begins_is_no_call(capsys: pytest.CaptureFixture[str]) -> None:
    assert "softmax(q kᵀ/√d) v." in in_one_line(explained(capsys, "scaled_dot_product_attention"))
    assert "add(x1, x2" not in explained(capsys, "add")


def test_a_point_of_which_no_gradient_is_claimed_ends_with_its_call(
    capsys: pytest.CaptureFixture[str],
) -> None:
    points = [line for line in explained(capsys, "sum").splitlines() if "(value)" in line]
    assert points
    assert all(line.endswith("keepdims = False") for line in points)


@pytest.mark.parametrize("name", CATALOGUE)
def test_every_op_is_explained(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    op, out = find(name), explained(capsys, name)
    assert out.startswith(f"{name} · ")
    assert op.formula in out
    assert op.source in out
    assert "Why there is an upstream gradient" in out
    example = out[out.index("An example") :]  # special points, listed before it, may have infinite operands
    # A parameter may have that name, and that value.
    assert not re.search(r"(?<!=)(?<!=-)\b(nan|inf)\b(?!=)", example)


def test_a_definition_is_a_function_and_what_reduces_it_whoever_registers_it(
    capsys: pytest.CaptureFixture[str],
) -> None:
    out = explained(capsys, "smooth_l1")
    assert "smooth_l1 = lambda x, t, beta: huber_loss(x, t, delta=beta) / beta" in out
    assert 'return np.mean(losses) if reduction == "mean" else np.sum(losses)' in out
    assert "pointwise(" not in out


def test_a_long_list_of_indices_is_cut(capsys: pytest.CaptureFixture[str]) -> None:
    assert "[0, 1, 2, 0, 1, 2, … 300 in all]" in explained(capsys, "take")
    assert "where=[True, True, True, True, True, True, … 32 in all]" in explained(capsys, "max_where")


def test_every_word_in_the_table_of_a_run_is_explained(capsys: pytest.CaptureFixture[str]) -> None:
    header = RunLine(1, "r", "", "quick", 0, SpecLine("", ""), {}, (BackendLine("mine", "mine", "1"),))
    results = [
        ResultLine(f"mine/op/{v}", "mine", "op", v, "vjp", "E1", "must", "", v, 1, 0.0) for v in Verdict
    ]
    words = [str(column.header) for column in table_of(header, results).columns][1:]
    whole = explained(capsys, "verdicts")
    assert len(words) == len(Verdict) + 3
    for word in words:
        assert f"{word}: " in whole
        assert explained(capsys, word).startswith(word)
    assert explained(capsys, "not-deciding") == explained(capsys, "not deciding")


def test_every_line_of_a_failure_is_explained(capsys: pytest.CaptureFixture[str]) -> None:
    evidence = Evidence(
        message="wrong",
        call="tanh (3,)",
        where="[0]",
        got=[1.0],
        expected=[2.0],
        pattern="half",
        case={"operands": [1.0], "cotangent": [2.0]},
        step="after a scope was left (no_grad.py:60)",
        raised="a.py:1",
        because="rounding",
        unshrunk="no time",
        fault="engine wrong",
        diagnostics=(Diagnostic("conditioning", "rounding explains it", Agreement.RULE),),
        token="k1:abc",
    )
    line = ResultLine(
        "mine/op/tanh/vjp/float64", "mine", "op", "tanh", "vjp", "E1", "must", "float64", Verdict.FAIL, 1, 0.0
    )
    text = failure_text(msgspec.structs.replace(line, evidence=evidence), None)
    words = [line.split()[0] for line in text.splitlines() if line.startswith("  ") and line[2] != " "]
    assert set(words) == set(LINES)
    whole = explained(capsys, "failure")
    for word in words:
        assert f"{word}: " in whole


@pytest.mark.parametrize("name", CATALOGUE)
def test_the_example_is_right(name: str) -> None:
    example = worked(find(name))
    index, entry = example.steepest()
    claimed = float(example.gradients[index][entry])
    assert math.isclose(example.measured(index, entry), claimed, rel_tol=1e-4, abs_tol=1e-9)
    # The imaginary part of a real number is zero, and so is its gradient.
    assert name == "imag" or any(np.any(gradient) for gradient in example.gradients.values())


@pytest.mark.parametrize("name", FLAT)
def test_a_flat_op_is_explained_as_one(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    out = explained(capsys, name)
    assert out.startswith(f"{name} · flat")
    assert FLAT[name].formula in out
    assert "The op is flat" in out
    assert "explain E19" in out


@pytest.mark.parametrize("name", FLAT)
def test_the_example_of_a_flat_op_stands_still(name: str) -> None:
    example = worked(find(name))
    assert not any(np.any(gradient) for gradient in example.gradients.values())
    assert example.measured(*example.steepest()) == 0


@pytest.mark.parametrize("number", STANDARD)
def test_every_clause_is_explained(number: str, capsys: pytest.CaptureFixture[str]) -> None:
    clause, out = STANDARD[number], explained(capsys, number)
    assert out.startswith(f"{number} · {clause.level.value}")
    assert in_one_line(clause.sentence) in in_one_line(out)
    assert in_one_line(clause.reason) in in_one_line(out)
    for choice in clause.conventions:
        assert choice in out
    for check in load_all().values():
        assert (check.key in out.split()) == (check.clause == number)


@pytest.mark.parametrize("key", load_all())
def test_every_check_is_explained(key: str, capsys: pytest.CaptureFixture[str]) -> None:
    out = explained(capsys, key)
    assert out.startswith(f"{key} · a check")
    assert in_one_line(load_all()[key].claim) in in_one_line(out)


@pytest.mark.parametrize(
    ("identifier", "beginning"),
    [
        ("b3", "B3 · must"),
        ("contract/B3", "B3 · must"),
        ("example/W1", "W1 · example"),
        ("op/matmul", "matmul · "),
        ("op/concatenate", "concat · "),
        ("power", "pow · "),
        ("vjp", "op/vjp · a check of E1"),
        ("fan-out", ""),
        ("mine/op/matmul/vjp/float32", "op/vjp · a check of E1"),
        ("mine.jit/op/matmul", "matmul · "),
        ("mine/contract/B1/fan-out", "contract/B1/fan-out · "),
        ("mine/contract/B1", "B1 · must"),
        ("op/matmul/", "matmul · "),
    ],
)
def test_any_spelling_of_an_id_is_understood(
    identifier: str, beginning: str, capsys: pytest.CaptureFixture[str]
) -> None:
    if not beginning:  # two checks have this name, so it is no id
        assert main(["explain", identifier]) == 4
        return
    assert explained(capsys, identifier).startswith(beginning)


def test_a_result_explains_its_check_and_its_op(capsys: pytest.CaptureFixture[str]) -> None:
    out = explained(capsys, "mine/op/softmax/vjp/float32")
    assert "op/vjp · a check of E1" in out
    assert "softmax · activations" in out


def test_a_check_of_far_operands_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    draws = "every drawn case of operands of every magnitude"
    assert draws in in_one_line(explained(capsys, "op/magnitudes"))
    assert draws not in in_one_line(explained(capsys, "op/vjp"))


def test_special_points_come_with_their_interval(capsys: pytest.CaptureFixture[str]) -> None:
    out = explained(capsys, "abs")
    assert "at x = 0: any slope from −1 to 1 with respect to x" in out
    assert "Clarke" in out


def test_a_special_point_has_a_page_under_its_key_and_under_the_id_of_a_result(
    capsys: pytest.CaptureFixture[str],
) -> None:
    out = explained(capsys, "relu/at-0")
    assert "middle: 0.5" in out
    assert explained(capsys, "mine/point/relu/at-0/float32") == out


def test_a_worked_example_shows_its_computation(capsys: pytest.CaptureFixture[str]) -> None:
    assert "x receives upstream @ a.T" in explained(capsys, "W1")


def test_the_numbers_of_an_example_are_the_rules(capsys: pytest.CaptureFixture[str]) -> None:
    out = in_one_line(explained(capsys, "square"))
    assert "x = [ 1., -2., 3.]" in out
    assert "x̄, the gradient of x = [4., 4., 3.]" in out


@pytest.mark.parametrize(
    ("identifier", "near"),
    [("tahn", "tanh"), ("op/matmull", "op/matmul"), ("contract/B1/fan-uot", "fan-out")],
)
def test_an_unknown_id_is_answered_with_near_ones(
    identifier: str, near: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["explain", identifier]) == 4
    out, err = capsys.readouterr()
    assert not out
    assert near in err
    assert len(err.splitlines()) == 1


@pytest.mark.parametrize("identifier", ["qqqqqqqq", "", "//", "op/", "op/matmul/nonsense", "B3/op"])
def test_an_id_like_nothing_is_refused(identifier: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", identifier]) == 4
    assert capsys.readouterr().err.startswith("conformance: nothing is called")


@pytest.mark.parametrize(
    ("name", "names"),
    [
        ("matmul", ["A", "B"]),
        ("atan2", ["y", "x"]),
        ("where", ["c", "x", "y"]),
        ("cross_entropy", ["logits", "target"]),
        ("linear", ["x", "weight", "bias"]),
        ("concat", ["x0", "x1"]),
    ],
)
def test_operands_are_named_as_in_the_formula_or_the_reference(name: str, names: list[str]) -> None:
    assert names_of(find(name), len(names)) == names


def test_every_kind_of_operand_has_words() -> None:
    for op in CATALOGUE.values():
        for domain in op.domains:
            assert in_words(domain)
    assert in_words(index_below(3)).startswith("integers")
    assert len(OperandKind) == 6


def test_a_definition_comes_with_the_short_functions_that_it_uses(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "eigh"]) == 0
    said = capsys.readouterr().out
    assert "def sign_weights(n: int)" in said
    assert "WEIGHT = 0.718" in said
    assert "def needs_jacobi" not in said  # which only chooses a precision
    assert main(["explain", "cross_entropy"]) == 0
    assert "def log_softmax" not in capsys.readouterr().out  # an op of its own
