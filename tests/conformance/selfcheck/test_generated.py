"""Mutants made by program: they follow from the seed, a right engine survives, a wrong one is caught, an equivalent one is known."""

from __future__ import annotations

import ast
import time
import types
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from conformance.backend import Backend
from conformance.cli import main
from conformance.errors import UsageError
from conformance.ops import ALL_OPS
from conformance.runfile.generated import GeneratedLine, scores_of, survivors_by_factor
from conformance.runfile.jsonl import read_run
from conformance.selfcheck.generated.ask import first_catch, groups_of_op
from conformance.selfcheck.generated.edits import edits_of
from conformance.selfcheck.generated.engine import engine_mutants
from conformance.selfcheck.generated.equivalence import difference, is_idle
from conformance.selfcheck.generated.guard import Guard
from conformance.selfcheck.generated.guarded import GuardedMutant
from conformance.selfcheck.generated.mutants import KINDS, found, generated_mutants, sampled
from conformance.selfcheck.generated.outcome import judge
from conformance.selfcheck.generated.rules import RuleMutant, rule_mutants
from conformance.selfcheck.generated.score import scored
from conformance.selfcheck.generated.subject import subject
from conformance.selfcheck.generated.workers import DIES, HANGS, judged
from conformance.strategies import Effort

SMALL = Effort(signatures=2, draws=2, samples=2, programs=2)
OPS = ("tanh", "prod", "where")


def edits_in(source: str) -> list[tuple[str, str]]:
    node = ast.parse(source).body[0]
    assert isinstance(node, ast.Expr)
    assert isinstance(node.value, ast.Lambda)
    return [(edit.operator, edit.after.removeprefix("lambda ")) for edit in edits_of(node.value, {"np": np})]


def caught(backend: Backend, op: str, effort: Effort = SMALL) -> Any:
    return first_catch(backend, groups_of_op(op, backend.dtypes), 0, effort)


def rule_mutant(op: str, after: str) -> RuleMutant:
    """The mutant of an op whose source contains `after` once it has its error."""
    return next(m for m in rule_mutants([op]) if after in m.edit.after)


# ---- making them -----------------------------------------------------------------------------------


@pytest.mark.costly
def test_there_are_three_thousand_and_every_name_leads_back() -> None:
    by_kind = {kind: generated_mutants(kind) for kind in KINDS}
    assert sum(map(len, by_kind.values())) > 3000
    assert min(map(len, by_kind.values())) > 700
    for mutants in by_kind.values():
        assert len({mutant.name for mutant in mutants}) == len(mutants)
        for mutant in mutants[::97]:
            assert found(mutant.name).wrong == mutant.wrong
    with pytest.raises(UsageError):
        found("rules/tanh")


def test_the_seed_decides() -> None:
    names = [mutant.name for mutant in generated_mutants("guarded", OPS)]
    assert sampled(names, 7, 1) == sampled(names, 7, 1) != sampled(names, 7, 2)
    said = [mutant.wrong for mutant in generated_mutants("guarded", OPS, seed=3)]
    assert said == [mutant.wrong for mutant in generated_mutants("guarded", OPS, seed=3)]
    assert said != [mutant.wrong for mutant in generated_mutants("guarded", OPS, seed=4)]


@pytest.mark.parametrize(
    ("source", "operator", "after"),
    [
        ("lambda g, x: g * x", "dropped factor", "g, x: x"),
        ("lambda g, x: g - x", "swapped operands", "g, x: x - g"),
        ("lambda g, x: g + x", "dropped term", "g, x: g"),
        ("lambda g, x: g + 2 * x", "constant", "g, x: g + 3 * x"),
        ("lambda g, x: g * np.sin(x)", "sibling function", "g, x: g * np.cos(x)"),
        ("lambda g, x: g * np.sin(x)", "removed call", "g, x: g * x"),
        ("lambda g, x: g * x", "other operand", "g, x: g * g"),
        ("lambda g, x: np.sum(g, axis=-1)", "axis", "g, x: np.sum(g, axis=0)"),
        ("lambda g, x: np.max(g, keepdims=True)", "keepdims", "g, x: np.max(g, keepdims=not True)"),
        ("lambda g, x: np.where(x > 0, g, 0)", "branch of a choice", "g, x: np.where(x > 0, 0, g)"),
        ("lambda g, x: np.where(x > 0, g, 0)", "comparison", "g, x: np.where(x >= 0, g, 0)"),
        ("lambda g, x: g if x.ndim else x", "condition", "g, x: g if not x.ndim else x"),
        ("lambda g, x: (x > 0) & (g > 0)", "dropped condition", "g, x: x > 0"),
        ("lambda g, x: g[0]", "index", "g, x: g[1]"),
        ("lambda g, x: -g", "other sign", "g, x: g"),
        ("lambda g, x: np.eye(3, dtype=bool)", "dropped keyword", "g, x: np.eye(3)"),
    ],
)
def test_an_operator_makes_its_error(source: str, operator: str, after: str) -> None:
    assert (operator, after) in edits_in(source)


def test_an_edit_leaves_the_tree_as_it_was() -> None:
    node = ast.parse("lambda g, x: g * x + 1").body[0]
    before = ast.dump(node)
    assert isinstance(node, ast.Expr)
    assert isinstance(node.value, ast.Lambda)
    assert edits_of(node.value, {})
    assert ast.dump(node) == before


def test_only_the_rule_is_changed_and_not_the_reference_that_shares_a_helper() -> None:
    op, x = ALL_OPS["logsumexp"], np.arange(6.0).reshape(2, 3)
    right = op.reference(x, axis=1)
    rule = RuleMutant(op.name, "named", 0).rule()
    with pytest.raises(Exception):  # noqa: B017, PT011 - whatever an error in the axes leads to
        rule(0, np.ones(2), right, x, axis="none")
    assert rule.__globals__ is not op.rule.__globals__  # type: ignore[attr-defined]
    assert np.array_equal(op.reference(x, axis=1), right)


def test_every_rule_mutant_of_some_ops_compiles() -> None:
    mutants = [m for op in ("matrix_power", "mse", "concat") for m in rule_mutants([op])]
    assert len(mutants) > 50
    assert all(isinstance(m.rule(), types.FunctionType) for m in mutants)


# ---- asking them -------------------------------------------------------------------------------------


@pytest.mark.parametrize("op", OPS)
def test_a_right_engine_survives(op: str) -> None:
    assert caught(subject().backend(), op) is None
    assert caught(subject().with_rules({op: ALL_OPS[op].rule}), op) is None
    assert caught(subject().with_altered(op, lambda index, right, facts: right), op) is None


def test_a_wrong_rule_is_caught() -> None:
    mutant = rule_mutant("tanh", "1 + z * z")
    assert caught(mutant.backend(), "tanh").item == "op/tanh/vjp/float64"


def test_a_rule_that_raises_is_caught_though_its_row_is_ours() -> None:
    def raising(index: int, g: Any, z: Any, *xs: Any, **parameters: Any) -> Any:
        return ALL_OPS["prod"].rule(index, g, z, *xs, axis="none")

    assert caught(subject().with_rules({"prod": raising}), "prod").how == "error"


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("size", lambda f: f.operands[0].size == 3),
        ("operand kind", lambda f: "leaf" in f.kinds),
        ("number of the call", lambda f: f.number >= 5),
        ("order", lambda f: f.is_recorded),
        ("layout", lambda f: not f.operands[0].flags.c_contiguous),
        ("dtype", lambda f: f.operands[0].dtype.name == "float32"),
    ],
)
def test_a_guard_knows_what_it_is_about(text: str, holds: Callable[[Any], bool]) -> None:
    wrong = subject().with_altered("tanh", lambda i, right, f: right * 2 if holds(f) else right)
    assert caught(wrong, "tanh", Effort(9, 3, 2, 2, 1)) is not None


def test_a_guarded_mutant_is_wrong_only_where_its_condition_holds() -> None:
    mutant = next(m for m in (GuardedMutant("tanh", n) for n in range(99)) if m.how == "rank")

    class Facts:
        operands = (np.ones((1,) * 9),)
        cotangent = np.ones(())

    right = np.ones(3)
    assert mutant.altered(0, right, Facts()) is right  # type: ignore[arg-type]  # as much of it as a rank needs


def test_the_engine_is_imported_again_and_stays_as_it_is() -> None:
    before = type(subject().backend()).__mro__
    mutant = next(
        m
        for m in engine_mutants()
        if m.place == "_deliver" and "np.subtract" not in m.wrong and m.how == "swapped operands"
    )
    backend = mutant.backend()
    assert type(backend) not in before
    assert type(subject().backend()).__mro__ == before


def test_an_error_in_the_engine_is_caught() -> None:
    place, how = "Accumulation.accumulate", "dropped term"
    names = [m.name for m in engine_mutants() if (m.place, m.how) == (place, how)]
    assert names
    for name in names:
        assert judge(name, profiles=("quick",), seed=0).profile == "quick"


def test_what_nothing_calls_would_stand_apart_and_every_function_of_the_engine_is_called() -> None:
    assert {m.place for m in engine_mutants() if m.unreachable} == set()
    assert "names nowhere" in replace(engine_mutants()[0], place="nowhere").unreachable


# ---- equivalence ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("op", "factor", "altered"),
    [
        ("tanh", "", lambda right, z, x: right),
        ("tanh", "shape or parameter", lambda right, z, x: right * (1 + (np.ndim(x) == 3))),
        ("tanh", "value of an operand", lambda right, z, x: np.where(x == 800.0, right + 1, right)),
        ("tanh", "dtype", lambda right, z, x: right * (1 + (x.dtype == np.float32))),
        ("square", "magnitude", lambda right, z, x: np.where(np.abs(x) > 1e9, 0, right)),
    ],
)
def test_a_difference_is_named_by_its_factor(op: str, factor: str, altered: Callable[..., Any]) -> None:
    def rule(index: int, g: Any, z: Any, x: Any) -> Any:
        return altered(ALL_OPS[op].rule(index, g, z, x), z, x)

    engines = subject().backend(), subject().with_rules({op: rule})
    assert difference(ALL_OPS[op], rule, engines).partition(":")[0] == factor


def test_a_difference_in_the_second_derivative_alone_is_seen() -> None:
    def rule(index: int, g: Any, z: Any, x: Any) -> Any:
        return g * (1 - np.asarray(getattr(z, "value", z)) ** 2)  # z as a constant

    engines = subject().backend(), subject().with_rules({"tanh": rule})
    assert difference(ALL_OPS["tanh"], rule, engines).startswith("order of differentiation")


def test_a_guarded_mutant_that_changes_nothing_is_known() -> None:
    always = Guard("at every call", ("size",), lambda i, f: True)

    def mutant(altered: Callable[..., Any]) -> GuardedMutant:
        made = GuardedMutant("tanh", 0)
        made.__dict__["_drawn"] = (always, "", altered)
        return made

    assert is_idle(mutant(lambda right, f: right + 0))
    assert not is_idle(mutant(lambda right, f: right * 2))


# ---- processes, files ----------------------------------------------------------------------------------------


def hangs_or_dies(name: str, beat: Callable[[], None]) -> GeneratedLine:
    if name == "hangs":
        time.sleep(3600)
    if name == "is asked much":  # for much longer than it may take for one question
        for _ in range(30):
            beat()
            time.sleep(0.5)
    if name == "dies":
        raise SystemExit(3)
    if name == "is not judged":
        raise ImportError("no such module")
    if name.startswith("once "):  # the machine's fault, not the mutant's
        here = Path(name.removeprefix("once "))
        if not here.exists():
            here.touch()
            raise SystemExit(3)
    return GeneratedLine(name, "rules", "tanh", "sign", "", ("quick",), "quick")


def ended(name: str, how: str) -> GeneratedLine:
    return replace_line(GeneratedLine(name, "rules", "tanh", "sign", "", ("quick",), "quick"), how)


def replace_line(line: GeneratedLine, how: str) -> GeneratedLine:
    from msgspec.structs import replace as replaced

    return replaced(line, verdict=how)


@pytest.mark.costly
def test_a_mutant_that_hangs_or_ends_its_process_costs_no_other(tmp_path: Path) -> None:
    names = ["first", "hangs", "second", "dies", "third", "is asked much", "is not judged"]
    names.append(f"once {tmp_path / 'died'}")
    lines = {line.name: line.verdict for line in judged(names, hangs_or_dies, ended, limit=1.0)}
    without = {"hangs": HANGS, "dies": DIES, "is not judged": "ImportError: no such module"}
    assert lines == dict.fromkeys(names, "") | without


def test_a_mutant_that_could_not_be_asked_survives(monkeypatch: pytest.MonkeyPatch) -> None:
    """An instrument that fails may not raise its own score."""

    def none_judged(
        names: list[str], judge: object, ended: Callable[[str, str], GeneratedLine], *rest: object
    ) -> Iterator[GeneratedLine]:
        return (ended(name, "ImportError: no such module") for name in names)

    monkeypatch.setattr("conformance.selfcheck.generated.score.judged", none_judged)
    (line,) = scored([generated_mutants("rules", ["tanh"])[0].name], ["quick"])
    assert line.is_survivor
    assert line.shows == "not asked: ImportError: no such module"
    assert scores_of([line])[0].killed == 0


def test_scores_count_a_profile_with_those_before_it_and_leave_out_what_stands_apart() -> None:
    made = partial(GeneratedLine, subject="tanh", how="size", wrong="")
    lines = [
        made("a", "guarded", asked=("quick",), profile="quick"),
        made("b", "guarded", asked=("quick", "standard"), profile="standard"),
        made("c", "guarded", asked=("quick", "standard")),
        made("d", "guarded", asked=("quick", "standard"), apart="equivalent"),
    ]
    assert [(s.profile, s.killed, s.of, s.apart) for s in scores_of(lines)] == [
        ("quick", 1, 3, 1),
        ("standard", 2, 3, 1),
    ]
    assert survivors_by_factor(lines) == {"size": 1}


def test_the_command_writes_a_run_file_and_the_page_is_made_of_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = tmp_path / "generated.jsonl"
    arguments = (
        "--generated",
        "--kind",
        "rules",
        "--profile",
        "quick",
        "--sample",
        "4",
        "-n",
        "1",
        "abs",
        "-o",
        str(run),
    )
    assert main(["selftest", *arguments]) == 0
    assert "rules at quick:" in capsys.readouterr().out
    assert len(read_run(run).generated) == 4
    assert main(["explain", "mutants", "--runs", str(run), "-o", str(tmp_path / "mutants.md")]) == 0
    assert "| rules | quick |" in (tmp_path / "mutants.md").read_text(encoding="utf-8")


def test_every_error_that_was_read_as_equivalent_is_one_that_is_made() -> None:
    made = {mutant.wrong for mutant in engine_mutants()}
    assert not set(subject().equivalent) - made
