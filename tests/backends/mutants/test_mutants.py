"""Every mutant names existing checks, every check has a mutant, a sample of mutants is caught."""

import contextvars
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from conformance_backends import mutants as package
from conformance_backends import numpy_engine as engine

from conformance.checks import load_all
from conformance.ops import ALL_OPS
from conformance.questions import Item
from conformance.run.execute import Executor
from conformance.runfile.jsonl import read_run
from conformance.runfile.records import MutantLine, Verdict
from conformance.selfcheck.recording import write_selftest
from conformance.selfcheck.selftest import (
    SLICES,
    Part,
    Report,
    catchers,
    checks_without_mutant,
    is_killed,
    questions_for,
    registered_controls,
    registered_mutants,
    registered_variants,
    sampled,
    selftest,
)
from conformance.strategies import Effort

MUTANTS = registered_mutants()
MODULES = {
    mutant.name: module.__name__.removeprefix(f"{package.__name__}.")
    for module in package.MODULES
    for mutant in getattr(module, "MUTANTS", ())
}
WRONG = (Verdict.FAIL, Verdict.ERROR, Verdict.ADAPTER_ERROR, Verdict.INTERNAL_ERROR)
SMALL = Effort(signatures=8, draws=2, samples=2, programs=4)
SAMPLE = (
    "sign-lost",
    "rounded-upwards",
    "zeros-seed-ones",
    "cotangent-negated-in-place",
    "value-along-differs",
    "seeded-with-two",
    "propagated-path-by-path",
    "cleared-gradient-returns",
    "scope-leaks-from-generator",
    "scope-ends-with-inner",
    "detach-in-place",
    "trailing-none-tolerated",
    "memory-is-a-copy",
)


@pytest.mark.parametrize("name", MUTANTS)
def test_mutant_names_checks_and_ops_that_exist(name: str) -> None:
    mutant = MUTANTS[name]
    assert mutant.wrong.endswith(".")
    assert len(set(mutant.kills)) == len(mutant.kills)
    assert set(mutant.ops) <= set(ALL_OPS)
    for key in mutant.kills:
        check = load_all()[key]
        assert check.kind != "op" or any(check.asks_about(ALL_OPS[op]) for op in mutant.ops)


@pytest.mark.parametrize("name", MUTANTS)
def test_mutant_stands_in_the_module_of_a_check_that_it_names(name: str) -> None:
    checks = [load_all()[key].function.__module__ for key in MUTANTS[name].kills]
    assert f"conformance.checks.{MODULES[name]}" in checks


def test_every_check_is_named_by_a_mutant() -> None:
    assert checks_without_mutant(MUTANTS.values()) == []


def test_no_two_mutants_have_one_description() -> None:
    assert len({mutant.wrong for mutant in MUTANTS.values()}) == len(MUTANTS)


def test_control_is_checked_at_the_ops_of_every_mutant() -> None:
    control = registered_controls()["control"]
    assert set(control.ops) == {op for mutant in MUTANTS.values() for op in mutant.ops}


@pytest.mark.costly
@pytest.mark.parametrize("name", registered_controls())
def test_control_is_not_caught_at_a_share_of_its_ops(name: str) -> None:
    control = sampled(registered_controls()[name], 0)
    effort = Effort(signatures=3, draws=1, samples=1, programs=2)
    assert catchers(control, 0, effort, slice_=(0, 6)) == {}  # the self-test asks the others


def test_a_control_is_asked_at_a_share_of_its_ops_beside_all_mutants_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[tuple[int, tuple[int, int]]] = []
    monkeypatch.setattr(
        "conformance.selfcheck.selftest.catchers",
        lambda mutant, *_, slice_, **__: asked.append((len(mutant.ops), slice_)) or {},
    )
    control = registered_controls()["control"]
    for options in ({}, {"is_whole": True}, {"part": Part.of([MUTANTS["sign-lost"]])}):
        selftest([], [control], **options)
    share, *others = (ops for ops, _ in asked[::SLICES])
    assert 0 < share < len(control.ops) / 4
    assert others == 2 * [len(control.ops)]
    assert [slice_ for _, slice_ in asked] == 3 * [(i, SLICES) for i in range(SLICES)]


def test_a_slice_asks_its_groups_and_the_slices_all(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    class Noting:
        def __init__(self, *_: object, **__: object) -> None:
            pass

        def results(self, items: list[Item]) -> list[SimpleNamespace]:
            asked.extend(item.id for item in items)
            return [SimpleNamespace(verdict=Verdict.PASS) for _ in items]

    monkeypatch.setattr("conformance.selfcheck.selftest.Executor", Noting)
    control = registered_controls()["control"]
    part = Part({"op/vjp": frozenset({"add", "sin"}), "op/value": frozenset({"sin", "matmul"})})
    catchers(control, 0, SMALL, part=part)
    whole = sorted(asked)
    asked.clear()
    for i in range(SLICES):
        catchers(control, 0, SMALL, part=part, slice_=(i, SLICES))
    assert whole
    assert sorted(asked) == whole


def test_beside_one_mutant_a_control_is_asked_what_that_is_asked() -> None:
    mutant = MUTANTS["log1p-loses-digits-near-zero"]
    items = [
        i for group in questions_for(registered_controls()["control"], part=Part.of([mutant])) for i in group
    ]
    assert {(i.check, i.subject) for i in items} == {("op/value-magnitudes", "log1p")}


def test_beside_several_mutants_a_control_is_asked_the_checks_of_each_of_its_own_ops() -> None:
    mutants = [
        MUTANTS["log1p-loses-digits-near-zero"],
        MUTANTS["sign-lost"],
        MUTANTS["derivative-at-real-part"],
    ]
    control = registered_controls()["control"]
    together = {item.id for group in questions_for(control, part=Part.of(mutants)) for item in group}
    alone = [
        {item.id for group in questions_for(control, part=Part.of([m])) for item in group} for m in mutants
    ]
    assert all(alone)
    assert together == set().union(*alone)


@pytest.mark.costly
@pytest.mark.parametrize("name", registered_variants())
def test_variant_is_not_caught_at_a_few_ops(name: str) -> None:
    variant = registered_variants()[name]
    few = replace(variant, ops=sampled(variant, len(name)).ops[:2] or variant.ops[:1])
    for items in questions_for(few):
        if items[0].definition.kind == "op" and items[0].dtype == few.make().dtypes[0]:
            executor = Executor(few.make(), seed=0, effort=Effort(2, 1, 1, 1), shrink=False)
            wrong = [r.id for r in executor.results(items) if r.verdict in WRONG]
            assert not wrong


@pytest.mark.costly
@pytest.mark.parametrize("name", ["halves", "little", "little-functions", "with-axes", "arrays-alone"])
def test_what_an_engine_lacks_is_no_failure_of_a_contract(name: str) -> None:
    lesser, results = registered_variants()[f"control-{name}"], []
    effort = Effort(signatures=1, draws=1, samples=1, programs=1)
    for items in questions_for(lesser):
        if items[0].definition.kind in ("contract", "capability"):
            results += Executor(lesser.make(), seed=0, effort=effort, shrink=False).results(items)
    assert [r.id for r in results if r.verdict in WRONG] == []
    assert len(results) > 200


def test_controls_are_sampled_at_every_op_by_some_seed() -> None:
    for control in (registered_controls() | registered_variants()).values():
        assert {op for seed in range(300) for op in sampled(control, seed).ops} == set(control.ops)


@pytest.mark.parametrize("name", ["sign-lost", "derivative-at-real-part"])
def test_a_mutant_is_asked_by_the_checks_that_it_names_alone(name: str) -> None:
    asked = {item.check for items in questions_for(MUTANTS[name]) for item in items}
    assert asked == set(MUTANTS[name].kills)


@pytest.mark.parametrize("name", SAMPLE)
def test_mutant_is_caught_by_every_check_it_names(name: str) -> None:
    (line,) = selftest([MUTANTS[name]], effort=SMALL).mutants
    assert is_killed(line), set(line.named) - set(line.killers)


@pytest.mark.parametrize(
    "name", ["scope-leaks-after-exception", "every-seventh-call", "forward-sorts-in-place"]
)
def test_no_error_remains_after_a_mutant(name: str) -> None:
    contextvars.copy_context().run(catchers, MUTANTS[name], 0, SMALL)
    x = engine.Tensor(np.array([3.0, 1.0, 2.0]), requires_grad=True)
    np.sum(np.tanh(x) * x).backward()
    assert x.grad is not None
    np.testing.assert_allclose(x.grad, np.tanh(x.value) + x.value * (1 - np.tanh(x.value) ** 2))
    part = Part.of([MUTANTS[name]])
    assert catchers(registered_controls()["control"], 0, SMALL, part=part) == {}


def test_mutant_that_a_named_check_misses_survives() -> None:
    line = MutantLine("m", "Wrong.", ("op/vjp", "op/shape"), ("op/vjp", "op/value"))
    report = Report([line, MutantLine("n", "Wrong.", ("op/vjp",), ("op/vjp",))])
    assert report.survivors == [line]
    assert report.score == "1/2"
    assert report.kills["op/vjp"] == 2
    assert report.kills["op/shape"] == 0


def test_mutant_that_names_no_check_is_not_killed() -> None:
    assert not is_killed(MutantLine("m", "Wrong.", (), ("op/vjp",)))


def test_run_file_of_a_self_test_can_be_read(tmp_path) -> None:
    line = MutantLine("m", "Wrong.", ("op/vjp",), ("op/vjp",))
    write_selftest(tmp_path / "run.jsonl", Report([line]), seed=3, seconds=1.0, exit_code=0)
    run = read_run(tmp_path / "run.jsonl")
    assert run.is_complete
    assert run.mutants == [line]
    assert run.header.seed == 3
