"""The definition of a history: what leaves keep, by hand."""

from __future__ import annotations

import numpy as np
import pytest

from conformance.history import Move, Verb
from conformance.ops import find
from conformance.oracle.histories import Definition, Walk


def array(*values: float) -> np.ndarray:
    return np.array(values)


def begun(*, accumulates: bool = True) -> Definition:
    """v0 and v1 leaves, v2 = v0 * v1."""
    definition = Definition(find, accumulates=accumulates)
    definition.take(Move(Verb.LEAF, made=0, array=array(2.0, 3.0)))
    definition.take(Move(Verb.LEAF, made=1, array=array(5.0, 7.0)))
    definition.take(Move(Verb.APPLY, (0, 1), made=2, op="multiply"))
    return definition


def walked(definition: Definition, move: Move, *, has_failed: bool = False) -> Walk:
    walk = definition.walk(move)
    kept = {x: definition.outcomes(walk, x, has_failed=has_failed)[-1] for x in walk.arrives}
    definition.settle(move, walk, kept, has_failed=has_failed)
    return walk


@pytest.mark.parametrize(("accumulates", "times"), [(True, 2), (False, 1)])
def test_what_arrives_is_added_or_replaces(*, accumulates: bool, times: int) -> None:
    definition = begun(accumulates=accumulates)
    for _ in range(2):
        walked(definition, Move(Verb.RETAIN, (2,), array=array(1.0, -1.0)))
    assert definition.stored[0].tolist() == [5 * times, -7 * times]


def test_in_a_scope_nothing_is_recorded_but_elsewhere_it_is() -> None:
    definition = begun()
    definition.take(Move(Verb.OPEN))
    definition.take(Move(Verb.APPLY, (2, 2), made=3, op="add"))
    definition.take(Move(Verb.APPLY, (2, 2), made=4, op="add", is_elsewhere=True))
    assert (definition.has_gradient(3), definition.has_gradient(4)) == (False, True)
    assert definition.value(3).tolist() == [20, 42]


def test_of_a_failed_walk_a_leaf_keeps_all_or_nothing_and_behind_the_fault_nothing() -> None:
    definition = begun()
    definition.take(Move(Verb.BREAK, (0,), made=3))
    definition.take(Move(Verb.APPLY, (3, 2), made=4, op="add"))
    walk = definition.walk(Move(Verb.WALK, (4,), array=array(1.0, 1.0)))
    assert walk.must_fail
    assert [o.tolist() for o in definition.outcomes(walk, 0, has_failed=True)] == [[0, 0]]
    assert [o.tolist() for o in definition.outcomes(walk, 1, has_failed=True)] == [[0, 0], [2, 3]]


def test_what_was_walked_may_be_refused_unless_it_was_to_be_walked_again() -> None:
    definition = begun()
    move = Move(Verb.WALK, (2,), array=array(1.0, 1.0))
    assert not walked(definition, Move(Verb.RETAIN, (2,), array=array(1.0, 1.0))).may_fail
    assert not walked(definition, move).may_fail
    assert walked(definition, move).may_fail


def test_what_could_be_rounded_is_not_allowed() -> None:
    definition = begun()
    definition.take(Move(Verb.APPLY, (2, 2), made=3, op="multiply"))
    assert definition.value(3).max() > 64
    assert not definition.allows(Move(Verb.APPLY, (2, 2), made=4, op="multiply"))
    large = Move(Verb.WALK, (2,), array=array(2.0**20, 1.0))
    assert not definition.allows(large)
