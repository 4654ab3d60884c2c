"""A row states every property that holds for it, and none that does not."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from conformance.errors import UsageError
from conformance.op import Homogeneous, Op, Property, Shift, Trait
from conformance.ops import (
    CATALOGUE,
    FLAT,
    examples_of,
    find,
    names_of,
    require_canonical,
    require_inverses,
    with_trait,
)
from conformance.ops.traits import exactly_undone_by, undone_by
from conformance.ops.unstated import UNSTATED

from .disagreements import disagreements
from .traits import HOLDS


def named(part: object) -> str:
    """The id of a parameter, the same in every process: a function's address is left out."""
    return part.name if isinstance(part, Op) else re.sub(r" at 0x\w+", "", str(part))


@pytest.mark.costly
@pytest.mark.parametrize("op", CATALOGUE.values(), ids=CATALOGUE.keys())
def test_a_row_states_what_holds_and_nothing_else(op: Op) -> None:
    assert list(disagreements(op)) == []


@pytest.mark.parametrize("op", FLAT.values(), ids=FLAT.keys())
def test_a_flat_row_states_nothing_else(op: Op) -> None:
    assert op.traits == {Trait.FLAT}


def test_every_trait_is_tested() -> None:
    assert set(HOLDS) | {Trait.FLAT} == set(Trait)


WRONG: list[tuple[str, Property]] = [
    ("softmax", Trait.ELEMENTWISE),
    ("square", Trait.LINEAR),
    ("softmax", Trait.REDUCTION),
    ("real", Trait.VANISHING),
    ("tanh", Trait.LOSS),
    ("add", Trait.VARIADIC),
    ("abs", Trait.HOLOMORPHIC),
    ("positive", Trait.ANTILINEAR),
    ("tanh", Trait.PIECEWISE_LINEAR),
    ("tanh", Trait.QUADRATIC),
    ("tanh", Trait.REAL_REFERENCE),
    ("subtract", Trait.COMMUTATIVE),
    ("cumulative_sum", Trait.ORDER_INVARIANT),
    ("cumulative_sum", Trait.ORDER_EQUIVARIANT),
    ("exp", Trait.SAVES_OPERANDS),
    ("log", Trait.SAVES_OUTPUT),
    ("log1p", Trait.INFINITE_SLOPE_AT_0),
    ("tanh", Homogeneous(1)),
    ("multiply", Homogeneous(2, of=(0, 1))),
    ("prod", Shift(1)),
    ("add", Shift(0, of=(0, 1))),
    ("sin", undone_by("cos")),
    ("ravel", exactly_undone_by("ravel")),
]


@pytest.mark.parametrize(("name", "wrong"), WRONG, ids=named)
def test_a_wrong_trait_is_found(name: str, wrong: Property) -> None:
    op = find(name)
    kept = {p for p in op.traits if type(p) is Trait or type(p) is not type(wrong)}
    found = list(disagreements(replace(op, traits=frozenset({*kept, wrong}))))
    if wrong == Homogeneous(2, of=(0, 1)):  # which is true, but says less than the two that it replaces
        assert found == ["multiply is homogeneous in (0,)", "multiply is homogeneous in (1,)"]
    assert found


STATED = [
    (op, p)
    for op in CATALOGUE.values()
    for p in sorted(op.traits, key=repr)
    if op.name
    in ("add", "multiply", "exp", "tanh", "max", "softmax", "linear", "mse", "hypot", "sqrt", "divide")
    and p not in (Trait.SAVES_OPERANDS, Trait.SAVES_OUTPUT)
]


@pytest.mark.parametrize(("op", "forgotten"), STATED, ids=named)
def test_a_forgotten_trait_is_found(op: Op, forgotten: Property) -> None:
    assert list(disagreements(replace(op, traits=op.traits - {forgotten})))


def test_every_reason_excuses_rows_of_the_catalogue() -> None:
    for reasons in UNSTATED.values():
        for reason, names in reasons.items():
            assert reason
            assert set(names.split()) <= set(CATALOGUE)


# ---- names ---------------------------------------------------------------------------------------------------


def test_an_inverse_that_is_no_op_is_refused_with_the_nearest_name() -> None:
    wrong = replace(find("tanh"), traits=frozenset({undone_by("atahn")}))
    with pytest.raises(
        UsageError, match="the inverse of tanh: there is no op called 'atahn'; did you mean atan or atanh"
    ):
        require_inverses([wrong])


def test_an_alias_is_refused_where_a_name_is_due() -> None:
    with pytest.raises(UsageError, match="'power' is an alias; the op is called 'pow'"):
        require_canonical("power", "a table")


def test_two_ops_that_share_a_name_are_refused() -> None:
    with pytest.raises(ValueError, match="two ops are called 'exp': exp and log"):
        names_of([find("exp"), replace(find("log"), aliases=("exp",))])


def test_ops_are_found_by_trait_in_the_order_of_the_catalogue() -> None:
    assert with_trait(Trait.SAVES_OUTPUT) == ("sqrt", "exp", "tanh", "sigmoid")


def test_an_example_without_the_trait_is_refused() -> None:
    assert examples_of(Trait.INFINITE_SLOPE_AT_0, "sqrt", "log") == ("sqrt", "log")
    with pytest.raises(ValueError, match="the row of tanh does not state the trait INFINITE_SLOPE_AT_0"):
        examples_of(Trait.INFINITE_SLOPE_AT_0, "tanh")
