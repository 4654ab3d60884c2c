"""The definition of a history: what leaves keep, by hand."""

from __future__ import annotations

import numpy as np
import pytest

from conformance.history import Call, Verb
from conformance.ops import find
from conformance.oracle.histories import BackwardPass, Definition


def array(*values: float) -> np.ndarray:
    return np.array(values)


def begun(*, accumulates: bool = True) -> Definition:
    """v0 and v1 leaves, v2 = v0 * v1."""
    definition = Definition(find, accumulates=accumulates)
    definition.take(Call(Verb.LEAF, made=0, array=array(2.0, 3.0)))
    definition.take(Call(Verb.LEAF, made=1, array=array(5.0, 7.0)))
    definition.take(Call(Verb.APPLY, (0, 1), made=2, op="multiply"))
    return definition


def passed(definition: Definition, call: Call, *, has_failed: bool = False) -> BackwardPass:
    done = definition.backward_pass(call)
    kept = {x: definition.outcomes(done, x, has_failed=has_failed)[-1] for x in done.arrives}
    definition.settle(call, done, kept, has_failed=has_failed)
    return done


@pytest.mark.parametrize(("accumulates", "times"), [(True, 2), (False, 1)])
def test_what_arrives_is_added_or_replaces(*, accumulates: bool, times: int) -> None:
    definition = begun(accumulates=accumulates)
    for _ in range(2):
        passed(definition, Call(Verb.BACKWARD_RETAINING, (2,), array=array(1.0, -1.0)))
    assert definition.stored[0].tolist() == [5 * times, -7 * times]


def test_in_a_scope_nothing_is_recorded_but_elsewhere_it_is() -> None:
    definition = begun()
    definition.take(Call(Verb.ENTER_NO_GRAD))
    definition.take(Call(Verb.APPLY, (2, 2), made=3, op="add"))
    definition.take(Call(Verb.APPLY, (2, 2), made=4, op="add", is_in_other_thread=True))
    assert (definition.has_gradient(3), definition.has_gradient(4)) == (False, True)
    assert definition.value(3).tolist() == [20, 42]


def test_of_a_failed_backward_pass_a_leaf_keeps_all_or_nothing_and_behind_the_fault_nothing() -> None:
    definition = begun()
    definition.take(Call(Verb.APPLY_RAISING, (0,), made=3))
    definition.take(Call(Verb.APPLY, (3, 2), made=4, op="add"))
    done = definition.backward_pass(Call(Verb.BACKWARD, (4,), array=array(1.0, 1.0)))
    assert done.must_fail
    assert [o.tolist() for o in definition.outcomes(done, 0, has_failed=True)] == [[0, 0]]
    assert [o.tolist() for o in definition.outcomes(done, 1, has_failed=True)] == [[0, 0], [2, 3]]


def test_what_was_traversed_may_be_refused_unless_it_was_retained() -> None:
    definition = begun()
    call = Call(Verb.BACKWARD, (2,), array=array(1.0, 1.0))
    assert not passed(definition, Call(Verb.BACKWARD_RETAINING, (2,), array=array(1.0, 1.0))).may_fail
    assert not passed(definition, call).may_fail
    assert passed(definition, call).may_fail


def test_what_could_be_rounded_is_not_allowed() -> None:
    definition = begun()
    definition.take(Call(Verb.APPLY, (2, 2), made=3, op="multiply"))
    assert definition.value(3).max() > 64
    assert not definition.allows(Call(Verb.APPLY, (2, 2), made=4, op="multiply"))
    large = Call(Verb.BACKWARD, (2,), array=array(2.0**20, 1.0))
    assert not definition.allows(large)


# ---- writes ----------------------------------------------------------------------------------------------


def written(definition: Definition, target: int, source: int, *index: object) -> Call:
    call = Call(Verb.WRITE, (target, source), parameters={"index": index})
    assert definition.allows(call)
    definition.take(call)
    return call


def gradients_from(definition: Definition, number: int, *g: float) -> dict[int, list[float]]:
    done = definition.backward_pass(Call(Verb.BACKWARD_RETAINING, (number,), array=array(*g)))
    return {leaf: gradient.tolist() for leaf, gradient in done.arrives.items()}


def test_what_is_overwritten_receives_zero_and_what_was_written_its_slice() -> None:
    definition = begun()
    definition.take(Call(Verb.APPLY, (1,), made=3, op="getitem", parameters={"index": (1,)}))
    written(definition, 2, 3, 0)
    assert definition.value(2).tolist() == [7, 21]
    assert gradients_from(definition, 2, 1.0, 10.0) == {0: [0, 70], 1: [0, 31]}


def test_what_is_spread_receives_the_sum() -> None:
    definition = begun()
    definition.take(Call(Verb.APPLY, (1,), made=3, op="getitem", parameters={"index": (1,)}))
    written(definition, 2, 3, ...)
    assert gradients_from(definition, 2, 1.0, 10.0) == {0: [0, 0], 1: [0, 11]}


def test_a_write_in_a_scope_changes_values_and_leaves_the_history() -> None:
    definition = begun()
    definition.take(Call(Verb.CONSTANT, made=3, array=array(-1.0, -2.0)))
    definition.take(Call(Verb.ENTER_NO_GRAD))
    for target in (0, 2):
        written(definition, target, 3, ...)
    definition.take(Call(Verb.EXIT_NO_GRAD))
    definition.take(Call(Verb.APPLY, (0, 2), made=4, op="multiply"))
    # v0 = v2 = c by then: v4 = v0 v2 sends g c to v2, which is v0 v1 as it was, and g c to v0 as it is
    assert gradients_from(definition, 4, 1.0, 1.0) == {0: [-1 - 5, -2 - 14], 1: [-2, -6]}


def test_a_backward_pass_may_fail_only_where_what_was_saved_was_written() -> None:
    definition = begun()
    definition.take(Call(Verb.APPLY, (2, 2), made=3, op="multiply"))
    definition.take(Call(Verb.APPLY, (2, 2), made=4, op="add"))
    written(definition, 2, 1, ...)
    fails = {
        n: definition.backward_pass(Call(Verb.BACKWARD, (n,), array=array(1.0, 1.0))).may_fail
        for n in (2, 3, 4)
    }
    assert fails == {2: False, 3: True, 4: False}
    assert gradients_from(definition, 3, 1.0, 1.0)[0] == [2 * 10 * 5, 2 * 21 * 7]


@pytest.mark.parametrize(("leaf_writes", "gradient"), [("refused", [4, 6]), ("recorded", [0, 6])])
def test_a_leaf_is_written_as_declared(leaf_writes: str, gradient: list[float]) -> None:
    definition = Definition(find, leaf_writes=leaf_writes)
    definition.take(Call(Verb.LEAF, made=0, array=array(2.0, 3.0)))
    definition.take(Call(Verb.CONSTANT, made=1, array=np.array(7.0)))
    assert definition.refuses(written(definition, 0, 1, 0)) == (leaf_writes == "refused")
    definition.take(Call(Verb.APPLY, (0, 0), made=2, op="multiply"))
    assert gradients_from(definition, 2, 1.0, 1.0) == {0: gradient}


def test_a_leaf_that_would_be_renewed_is_not_written() -> None:
    definition = Definition(find, leaf_writes="renewed")
    definition.take(Call(Verb.LEAF, made=0, array=array(2.0, 3.0)))
    definition.take(Call(Verb.CONSTANT, made=1, array=np.array(7.0)))
    write = Call(Verb.WRITE, (0, 1), parameters={"index": (0,)})
    assert not definition.allows(write)
    definition.take(Call(Verb.ENTER_NO_GRAD))
    assert definition.allows(write)


@pytest.mark.parametrize(
    ("constant_writes", "value", "gradient"),
    [("recorded", 2.0, [1, 0]), ("constant", 2.0, [0, 0]), ("refused", 9.0, [0, 0])],
)
def test_a_constant_is_written_as_declared(constant_writes: str, value: float, gradient: list[float]) -> None:
    definition = Definition(find, constant_writes=constant_writes)
    definition.take(Call(Verb.LEAF, made=0, array=array(2.0, 3.0)))
    definition.take(Call(Verb.CONSTANT, made=1, array=array(9.0, 9.0)))
    definition.take(Call(Verb.APPLY, (0,), made=2, op="getitem", parameters={"index": (0,)}))
    assert definition.refuses(written(definition, 1, 2, 0)) == (constant_writes == "refused")
    assert definition.value(1).tolist() == [value, 9]
    definition.take(Call(Verb.APPLY, (0, 1), made=3, op="add"))
    assert gradients_from(definition, 3, 1.0, 0.0) == {0: [1 + gradient[0], gradient[1]]}


@pytest.mark.parametrize("has_views", [True, False])
def test_views_share_what_is_written_where_that_is_declared(*, has_views: bool) -> None:
    definition = Definition(find, has_views=has_views)
    definition.take(Call(Verb.LEAF, made=0, array=np.array([[1.0, 2.0], [3.0, 4.0]])))
    definition.take(Call(Verb.LEAF, made=1, array=array(5.0, 6.0)))
    definition.take(Call(Verb.APPLY, (0,), made=2, op="negative"))
    definition.take(Call(Verb.APPLY, (2,), made=3, op="permute_dims", parameters={"axes": (1, 0)}))
    definition.take(
        Call(Verb.APPLY, (3,), made=4, op="getitem", parameters={"index": (0,)})
    )  # a column of v2
    definition.take(Call(Verb.APPLY, (2,), made=5, op="getitem", parameters={"index": (0,)}))  # a row of v2
    written(definition, 4, 1, ...)
    assert definition.value(4).tolist() == [5, 6]
    assert definition.value(2).tolist() == ([[5, -2], [6, -4]] if has_views else [[-1, -2], [-3, -4]])
    assert definition.value(5).tolist() == ([5, -2] if has_views else [-1, -2])
    through = {0: [[0, -10], [0, 0]], 1: [1, 0]} if has_views else {0: [[-1, -10], [0, 0]]}
    assert gradients_from(definition, 5, 1.0, 10.0) == through


@pytest.mark.parametrize(
    "making",
    [
        Call(Verb.DETACH, (2,), made=3),
        Call(Verb.APPLY, (2,), made=3, op="reshape", parameters={"shape": (2,)}),
    ],
)
def test_what_may_or_may_not_share_memory_is_not_written(making: Call) -> None:
    definition = Definition(find, has_views=True)
    for call in (
        Call(Verb.LEAF, made=0, array=array(2.0, 3.0)),
        Call(Verb.LEAF, made=1, array=array(5.0, 7.0)),
        Call(Verb.APPLY, (0, 1), made=2, op="multiply"),
    ):
        definition.take(call)
    write = Call(Verb.WRITE, (2, 1), parameters={"index": (...,)})
    assert definition.allows(write)
    definition.take(making)
    assert not definition.allows(write)
