"""What the signatures of an op cover is counted from the signatures themselves."""

from __future__ import annotations

from collections import Counter
from functools import cache
from itertools import combinations

import numpy as np
import pytest

from conformance.design import Effort, Row, signatures_of
from conformance.design.cover import ABSENT, Levels, tuples
from conformance.design.levels import encoded, is_own, levels_of
from conformance.design.rows import leaves, rows_of
from conformance.op import Op, Signature
from conformance.ops import ALL_OPS, FAMILIES, find

Combination = tuple[tuple[str, str], ...]
SMALL = ("elementwise", "reductions", "losses", "linear_algebra")


def combined(op: Op, rows: tuple[Row, ...], strength: int) -> set[Combination]:
    levels = [levels_of(op, row) for row in rows]
    return {chosen for row in levels for chosen in combinations(sorted(row.items()), strength)}


@cache
def offered(op: Op) -> frozenset[tuple[str, str]]:
    """The levels of all rows: the convolutions have tens of thousands."""
    return frozenset(encoded(op)[1].numbers)


def numbered(op: Op, rows: tuple[Row, ...], strength: int, levels: Levels) -> set[int]:
    """The combinations of rows as numbers, in which those of a family's ops can be compared."""
    place = {id(row): number for number, row in enumerate(rows_of(op))}
    codes = levels.translate(*encoded(op))[[place[id(row)] for row in rows]]
    return set(np.unique(tuples(codes, strength)).tolist()) - {ABSENT}


@pytest.mark.parametrize("name", ["add", "sum", "addcmul"])
def test_levels_and_their_numbers_are_those_of_every_row(name: str) -> None:
    op = find(name)
    assert {(level,) for level in offered(op)} == combined(op, rows_of(op), 1)
    for strength in (1, 2):
        assert len(numbered(op, rows_of(op), strength, Levels())) == len(combined(op, rows_of(op), strength))


@cache
def asked(op: Op, strength: int, seed: int = 0) -> tuple[Row, ...]:
    return signatures_of(op, "float64", seed, Effort(4, 1, 1, 1, strength))


@pytest.mark.costly
@pytest.mark.parametrize("op", ALL_OPS.values(), ids=lambda op: op.name)
@pytest.mark.parametrize("seed", [0, 1])
def test_every_level_of_an_ops_own_parameters_is_asked_of_it(op: Op, seed: int) -> None:
    own = {((f, level),) for f, level in offered(op) if is_own(op, f)}
    assert own <= combined(op, asked(op, 1, seed), 1)
    assert len(asked(op, 1, seed)) >= min(4, len(rows_of(op)))


@pytest.mark.costly
@pytest.mark.parametrize("op", ALL_OPS.values(), ids=lambda op: op.name)
def test_one_strength_higher_every_level_is(op: Op) -> None:
    assert combined(op, asked(op, 2), 1) == {(level,) for level in offered(op)}


@pytest.mark.costly
@pytest.mark.parametrize("family", FAMILIES)
def test_what_a_family_shares_is_asked_once_in_it(family: str) -> None:
    for strength, together in ((1, 1), (3, 2)):
        levels = Levels()
        every = (numbered(op, rows_of(op), together, levels) for op in FAMILIES[family])
        reached = (numbered(op, asked(op, strength), together, levels) for op in FAMILIES[family])
        assert set().union(*every) == set().union(*reached)


@pytest.mark.costly
@pytest.mark.parametrize("name", ["sum", "divide", "concat", "kron"])
def test_every_pair_of_levels_is_asked_at_strength_4(name: str) -> None:
    op = find(name)
    assert combined(op, asked(op, 4), 2) == combined(op, rows_of(op), 2)


# ---- compact: where every signature is compiled ---------------------------------------------------------

COMPACT = Effort(4, 1, 1, 1, 1).of_engine(compiles=True)


def named_in_common(op: Op, rows: tuple[Row, ...] | None = None) -> set[tuple[str, str]]:
    """The levels of rows, or of all, parameters by the names that ops of a family share."""
    levels = offered(op) if rows is None else [level for (level,) in combined(op, rows, 1)]
    return {(factor.removeprefix(f"{op.name} "), level) for factor, level in levels}


@pytest.mark.costly
@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("seed", [0, 1])
def test_where_signatures_are_compiled_what_two_ops_can_have_is_asked_once_in_the_family(
    family: str, seed: int
) -> None:
    counted = Counter(level for op in FAMILIES[family] for level in named_in_common(op))
    asked_of = {op: signatures_of(op, "float64", seed, COMPACT) for op in FAMILIES[family]}
    reached = set().union(*(named_in_common(op, rows) for op, rows in asked_of.items()))
    assert {level for level, count in counted.items() if count > 1} <= reached
    of_one = {level for level, count in counted.items() if count == 1}
    assert of_one & reached or not of_one


def test_where_signatures_are_compiled_they_are_few() -> None:
    few = sum(len(signatures_of(op, "float64", 0, COMPACT)) for op in ALL_OPS.values())
    assert few < 0.5 * sum(len(asked(op, 1)) for op in ALL_OPS.values())
    assert all(len(signatures_of(op, "float32", 0, COMPACT)) == 1 for op in ALL_OPS.values())


def test_the_first_of_few_signatures_is_one_on_which_checks_decide() -> None:
    first = [signatures_of(op, "float64", 0, COMPACT)[0] for op in ALL_OPS.values()]
    assert all(row.can_decide and row.wrt is None for row in first)
    matrices = [row for row in first if all(len(shape) > 1 for shape in row.signature.shapes)]
    assert len(matrices) > 0.9 * len(first)


def test_levels_that_one_op_alone_can_have_are_asked_by_another_seed() -> None:
    op = find("einsum")
    reached = [named_in_common(op, signatures_of(op, "float64", seed, COMPACT)) for seed in range(12)]
    assert all(found < set().union(*reached) for found in reached)
    assert signatures_of(op, "float64", 3, COMPACT) == signatures_of(op, "float64", 3, COMPACT)


def test_an_effort_is_compact_where_signatures_are_compiled_at_the_lowest_strength_alone() -> None:
    lowest, higher = Effort(4, 1, 1, 1, 1), Effort(4, 1, 1, 1, 3)
    assert lowest.of_engine(compiles=True).is_compact
    assert higher.of_engine(compiles=True) == higher
    assert lowest.of_engine(compiles=False) == lowest.without_compilation()


def test_another_seed_goes_through_other_pairs() -> None:
    op = find("std")
    reached = [combined(op, asked(op, 1, seed), 2) for seed in range(6)]
    assert all(found < set().union(*reached) for found in reached)
    assert asked(op, 1, 3) == signatures_of(op, "float64", 3, Effort(4, 1, 1, 1, 1))


def test_those_on_which_a_check_can_decide_come_first() -> None:
    for op in ALL_OPS.values():
        decides = [row.can_decide for row in asked(op, 2)]
        assert decides == sorted(decides, reverse=True)
    assert sum(not asked(op, 1)[0].can_decide for op in ALL_OPS.values()) <= 3


def test_an_operand_that_needs_no_gradient_is_a_level() -> None:
    op = find("lerp")
    assert {row.wrt for row in asked(op, 2)} == {None, (0,), (1,), (2,), (0, 1), (0, 2), (1, 2)}
    assert {row.wrt for row in asked(find("getitem"), 2)} == {None}


def test_every_leaf_of_a_law_is_visited_once() -> None:
    def law(choose: object) -> Signature:
        first = choose((1, 2))  # type: ignore[operator]
        second = choose(range(first)) if first > 1 else 7  # type: ignore[operator]
        return Signature(((first,),), {"second": second})

    found = [(s.shapes, s.parameters["second"]) for s in leaves(law)]
    assert found == [(((1,),), 7), (((2,),), 0), (((2,),), 1)]


@pytest.mark.parametrize(
    ("shapes", "parameters", "factor", "level"),
    [
        (((2, 0, 3),), {}, "empty axis", "middle"),
        (((1, 2, 1),), {}, "axis of size 1", "first and last"),
        (((2, 3), (3,)), {}, "sum shape 1", "of lower rank"),
        (((2, 3), (2, 1)), {}, "sum shape 1", "stretched"),
        (((2, 17),), {}, "longest axis", "16 + 1"),
        (((2, 31),), {}, "longest axis", "16 and more"),
        (((2, 3),), {"axis": -1}, "axis", "last, from the back"),
        (((2, 3),), {"axis": (1, -2)}, "axis", "each of the axes, unordered, from back and front"),
        (((2, 3),), {"keepdims": True}, "keepdims", "True"),
        (((2, 3),), {"index": (slice(None, None, -1), np.array([0, 0]))}, "sum index",
         "tuple(slice - - −, array i1 repeating)"),
    ],
)  # fmt: skip
def test_levels_are_read_off_the_signature(
    shapes: tuple[tuple[int, ...], ...], parameters: dict[str, object], factor: str, level: str
) -> None:
    assert levels_of(find("sum"), Row(Signature(shapes, parameters)))[factor] == level


@pytest.mark.parametrize("name", ["triplet_margin", "margin_ranking"])
def test_one_call_in_two_domains_is_two_signatures(name: str) -> None:
    found = {(each.shapes, str(each.parameters)): set[str]() for each in leaves(find(name).law)}
    for each in leaves(find(name).law):
        found[each.shapes, str(each.parameters)].add(str(each.domains))
    assert max(map(len, found.values())) == 2


@pytest.mark.parametrize(
    ("name", "shapes", "parameters", "factor", "level"),
    [
        ("multiply", ((3, 1), (3,)), {}, "shape 0, axes equal", "stretched, a column and a vector"),
        ("multiply", ((3, 1), (3,)), {}, "shape 1, axes equal", "of lower rank, a column and a vector"),
        ("multiply", ((3, 1), (1, 3)), {}, "shape 0, axes equal", "stretched, of matrices"),
        ("tensordot", ((3,), (3,)), {"axes": 0}, "tensordot axes, all shapes equal, for 1", "0, of rank 1"),
        ("scatter_reduce", ((3,), (1,), (1,)), {"axis": -1, "reduce": "mean", "include_self": False},
         "scatter_reduce reduction and self, for 0", "mean without what stands there, more places than values"),
    ],
)  # fmt: skip
def test_what_only_numbers_tell_apart_is_a_level(
    name: str, shapes: tuple[tuple[int, ...], ...], parameters: dict[str, object], factor: str, level: str
) -> None:
    assert levels_of(find(name), Row(Signature(shapes, parameters)))[factor] == level
