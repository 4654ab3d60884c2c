"""Of an engine that compiles each signature the quick profile asks a part, and says how large the rest is."""

from __future__ import annotations

from collections import Counter
from functools import cache
from types import SimpleNamespace
from typing import Any

import pytest
from conformance_backends.numpy_backend import NumpyTape
from msgspec.structs import replace

from conformance.backend import Capability
from conformance.case import Case
from conformance.checks import load_all
from conformance.checks.observation import Observation, Oracle
from conformance.cli.pages.run_end import left_out_of
from conformance.design import Effort
from conformance.errors import NothingSelected
from conformance.op import Trait
from conformance.ops import ALL_OPS, CATALOGUE, find
from conformance.questions import Item, items_of
from conformance.questions.compact import ONE_IN, ONE_POINT_IN, SWEEPS, Compact
from conformance.run import plan
from conformance.run.describe import Description, describe
from conformance.run.plan import PROFILES, parted, with_left_out
from conformance.run.process import memory
from conformance.run.workers.worker import REMEMBERED, Worker
from conformance.runfile.records import BackendLine
from conformance.strategies import draw_cases, more_cases

DTYPES = ("float64", "float32", "float16", "bfloat16", "complex128", "complex64")
MODES = ("jax", "jax.jit")  # two modes of one engine, as its entry points name them
QUICK = PROFILES["quick"]
CURVED = "op/reverse-over-reverse"


def described(name: str, *, compiles: bool = True) -> Description:
    line = BackendLine(name, name.partition(".")[0], "1")
    return Description(line, DTYPES, spec=name, compiles=compiles)


@cache
def parts(
    *names: str, seed: int = 0, profile: str = "quick", compiles: bool = True
) -> tuple[list[Item], list[Item]]:
    return parted([described(name, compiles=compiles) for name in names], seed, PROFILES[profile])


def ids(items: list[Item]) -> set[str]:
    return {item.id.partition("/")[2] for item in items}


def test_every_check_that_such_an_engine_can_be_asked_is_asked_of_some_op() -> None:
    asked, left = parts(*MODES)
    assert not {item.definition.name for item in left} - {item.definition.name for item in asked}


def test_what_is_asked_in_other_dtypes_than_the_first_is_asked_in_each_of_them_in_turns() -> None:
    dtypes = {
        i.dtype for seed in range(3) for i in parts(*MODES, seed=seed)[0] if i.check == "op/mixed-value"
    }
    assert dtypes == {"float32", "float16", "bfloat16"}


def test_only_the_quick_profile_leaves_out_and_only_of_engines_that_compile() -> None:
    assert parts(*MODES)[1]
    assert not parts(*MODES, profile="standard")[1]
    assert not parts(*MODES, compiles=False)[1]


@pytest.mark.costly
def test_every_item_is_asked_in_some_mode_for_some_seed_but_what_is_compiled_alone_in_further_dtypes() -> (
    None
):
    asked, left_out = parts(*MODES)
    assert len(asked) < 0.5 * len(left_out)
    plans = [Compact.of(name, DTYPES, seed) for name in MODES for seed in range(4 * ONE_IN * ONE_POINT_IN)]
    for item in left_out[::29]:
        is_asked = any(compact.asks(item) for compact in plans)
        check = item.definition
        alone = check.is_compiled_alone and check.name not in SWEEPS and "float64" in check.dtypes
        assert is_asked != (alone and item.dtype != "float64"), item.id


def test_an_adapter_in_a_file_takes_no_turns_with_the_modes_whose_name_it_has() -> None:
    registered, spec = described("jax"), "mine.py:Mine"
    own = replace(registered, spec=spec, line=replace(registered.line, spec=spec))
    asked, _ = parted([own], 0, QUICK)
    dtypes = {(i.subject, i.dtype) for i in asked if i.check == "op/vjp"}
    assert {(op.name, dtype) for op in CATALOGUE.values() for dtype in ("float64", "float32")} <= dtypes


def test_what_is_described_for_these_tests_is_what_a_registered_backend_says_of_itself() -> None:
    said = describe("numpy")
    assert (said.spec, said.line.spec) == (described("numpy").spec, described("numpy").line.spec)


def test_an_op_is_asked_in_every_mode_each_in_another_dtype() -> None:
    asked, _ = parts(*MODES)
    seen = {(i.subject, i.backend): i.dtype for i in asked if i.check == "op/vjp"}
    for op in ALL_OPS.values():
        if not op.is_flat:
            assert {seen[op.name, mode] for mode in MODES} == {"float64", "float32"}
    assert 0.4 < sum(dtype == "float64" for dtype in seen.values()) / len(seen) < 0.6


@pytest.mark.parametrize("check", ["op/forward", CURVED])
@pytest.mark.parametrize("seed", [0, 1])
def test_forward_mode_and_curvature_of_every_elementwise_op_are_asked_in_one_mode(
    seed: int, check: str
) -> None:
    asked = Counter(i.subject for i in parts(*MODES, seed=seed)[0] if i.check == check)
    every = {item.subject for item in items_of("jax", DTYPES) if item.check == check}
    elementwise = {op for op in every if Trait.ELEMENTWISE in ALL_OPS[op].traits}
    assert {op: asked[op] for op in elementwise} == dict.fromkeys(elementwise, 1)
    assert elementwise < every


@pytest.mark.parametrize("seed", [0, 1])
def test_elementwise_ops_are_asked_all_over_their_domains_each_dtype_in_one_mode(seed: int) -> None:
    asked = Counter((i.check, i.subject, i.dtype) for i in parts(*MODES, seed=seed)[0])
    swept = {(i.check, i.subject, i.dtype) for i in items_of("jax", DTYPES) if i.definition.name in SWEEPS}
    assert {name for name, _, _ in swept} == {f"op/{name}" for name in SWEEPS}
    assert {key: asked[key] for key in swept} == dict.fromkeys(swept, 1)


def test_another_seed_asks_an_op_in_another_mode() -> None:
    first, second = (
        {(i.subject, i.dtype): i.backend for i in parts(*MODES, seed=seed)[0] if i.check == "op/vjp"}
        for seed in (0, 1)
    )
    assert all(second[key] != first[key] for key in first)


def test_what_is_compiled_for_one_check_alone_is_asked_of_a_share_of_each_family() -> None:
    for name in ("op/mapped", CURVED, "op/checkpointed"):
        everything = [i for part in parts(*MODES) for i in part if i.check == name and i.dtype == "float64"]
        asked = [i for i in parts(*MODES)[0] if i.check == name]
        assert {i.dtype for i in asked} == {"float64"}
        if name == CURVED:  # the elementwise ops are all asked
            everything, asked = (
                [i for i in items if Trait.ELEMENTWISE not in ALL_OPS[i.subject].traits]
                for items in (everything, asked)
            )
        assert len(asked) == len({i.subject for i in asked})
        assert len(everything) / 2 / ONE_IN / 1.5 < len(asked) < 1.5 * len(everything) / 2 / ONE_IN


def test_the_orders_of_second_derivatives_are_asked_of_the_same_ops() -> None:
    orders = Counter((i.subject, i.backend) for i in parts(*MODES)[0] if "-over-" in i.check)
    assert set(orders.values()) == {4}


def test_what_a_mode_is_asked_does_not_depend_on_the_other_backends_of_a_run() -> None:
    both = ids([item for item in parts(*MODES)[0] if item.backend == "jax.jit"])
    assert ids(parts("jax.jit")[0]) == both


def test_an_engine_of_one_mode_is_asked_every_op_in_both_precisions() -> None:
    asked = {(i.subject, i.dtype) for i in parts("mine")[0] if i.check == "op/vjp"}
    every = {name for name, op in ALL_OPS.items() if not op.is_flat}
    assert asked == {(name, dtype) for name in every for dtype in ("float64", "float32")}


def test_contracts_are_asked_of_every_mode() -> None:
    left_out = parts(*MODES)[1]
    assert {item.definition.kind for item in left_out} == {"op", "point"}


def test_shards_together_are_the_whole() -> None:
    asked, _ = parts(*MODES)
    shards = [plan.shard(asked, f"{i}/3") for i in (1, 2, 3)]
    assert sorted(item.id for part in shards for item in part) == sorted(item.id for item in asked)


def test_a_query_selects_what_is_left_out_where_it_names_nothing_else() -> None:
    asked, left_out = parts(*MODES)
    hidden = next(item for item in left_out if item.check == "op/vjp")
    assert plan.select(asked, [hidden.id], left_out) == [hidden]
    whole = plan.select(asked, ["op/tanh"], left_out)
    assert set(whole) <= set(asked)
    assert len(whole) > 20
    with pytest.raises(NothingSelected, match="tahn"):
        plan.select(asked, ["op/tanh", "op/tahn"], left_out)


def test_the_header_counts_what_is_left_out_and_the_run_says_so() -> None:
    left_out = parts(*MODES)[1]
    lines = [with_left_out(described(name), left_out).line for name in MODES]
    assert sum(sum(line.left_out.values()) for line in lines) == len(left_out)
    header: Any = SimpleNamespace(backends=lines, profile="quick")
    (said,) = left_out_of(header)
    assert f"leaves {len(left_out)} of its checks" in said
    assert not left_out_of(SimpleNamespace(backends=[described("numpy").line], profile="quick"))  # type: ignore[arg-type]


def test_of_an_engine_whose_modes_do_not_all_compile_those_that_do_are_named() -> None:
    eager = BackendLine("mine", "mine", "1")
    compiled = BackendLine("mine.compile", "mine", "1", left_out={"op": 3, "point": 4})
    header: Any = SimpleNamespace(backends=[eager, compiled], profile="quick")
    (said,) = left_out_of(header)
    assert said.startswith("mine.compile compiles every call: profile quick leaves 7 of its checks")


# ---- few signatures, many draws ---------------------------------------------------------------------------


def signatures(cases: Any) -> list[tuple[Any, ...]]:
    return [(tuple(x.shape for x in case.operands), str(case.parameters)) for case in cases]


def test_the_first_signature_has_most_draws_and_further_cases_repeat_it() -> None:
    effort = QUICK.of_engine(compiles=True)
    op = find("sum")
    drawn = Counter(signatures(draw_cases(op, "float64", 0, effort)))
    first = signatures(draw_cases(op, "float64", 0, effort))[0]
    assert drawn[first] == effort.draws > max(count for key, count in drawn.items() if key != first)
    further = more_cases(op, "float64", 0, effort)
    again = signatures(next(further) for _ in range(8))
    assert len(set(again)) <= 4


def test_a_check_for_which_alone_something_is_compiled_is_run_on_one_signature() -> None:
    compact, standard = QUICK.of_engine(compiles=True), PROFILES["standard"].of_engine(compiles=True)
    for name in ("op/order", "op/broadcasting", "op/inverse"):
        assert load_all()[name].enough("float64", compact) == 1
        assert load_all()[name].enough("float64", standard) == float("inf")
    assert load_all()["op/vjp"].enough("float64", compact) == float("inf")


# ---- one function for all orders ---------------------------------------------------------------------------


class Compiling(NumpyTape):
    """The reference engine as if it compiled functions."""

    compiles_functions = True
    compiled_count = 0
    is_refusing = False

    def compiled(self, function: Any) -> Any:
        """The function itself."""
        self.compiled_count += 1
        if self.is_refusing:
            return lambda *xs: 1 / 0
        return function


ORDERS = (
    "op/reverse-over-reverse",
    "op/forward-over-reverse",
    "op/reverse-over-forward",
    "op/forward-over-forward",
)


def second_orders(engine: Compiling, case: Case) -> list[Any]:
    seen = Observation(engine, Oracle(find(case.op), case))
    return [load_all()[name].function(seen) for name in ORDERS]


@pytest.mark.parametrize("is_refusing", [False, True])
def test_the_orders_share_one_compiled_function_and_are_called_one_by_one_where_it_raises(
    is_refusing: bool,
) -> None:
    assert {Capability.HIGHER_ORDER, Capability.FORWARD} <= Compiling.capabilities
    engine = Compiling()
    engine.is_refusing = is_refusing
    case = draw_cases(find("tanh"), "float64", 0, Effort(1, 1, 1, 1).compact())[0]
    found = second_orders(engine, case)
    assert engine.compiled_count == 1
    assert all(comparison.error <= 1 for compared in found for comparison in compared)


# ---- what is compiled is forgotten where it takes memory -----------------------------------------------------


def test_an_engine_forgets_what_it_compiled_where_that_takes_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    forgotten: list[int] = []
    held = iter([100, 200, 300 + REMEMBERED, 50, 60])
    monkeypatch.setattr(memory, "resident", lambda: next(held))
    worker = Worker.__new__(Worker)
    worker._forgotten_at, worker._groups_run = 0, iter(range(9))  # type: ignore[assignment]
    engine: Any = SimpleNamespace(forget=lambda: forgotten.append(1))
    counts = []
    for _ in range(4):
        worker._forget(engine)
        counts.append(len(forgotten))
    assert counts == [0, 0, 1, 1]
