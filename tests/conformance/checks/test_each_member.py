"""A check about many ops asks every one, and says of each that fails what it would say of that one alone."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from conformance_backends.mutants.mutant import altered_rule, with_ops
from conformance_backends.numpy_backend import NumpyTape

from conformance.checks import load_all
from conformance.checks.each_member import hold_for_each
from conformance.checks.members import members
from conformance.checks.sample import Sample
from conformance.errors import Unsupported, Violation
from conformance.run.evidence import message_of
from conformance.runfile.known import KnownFailure, entry_for

EVERY = "contract/A19/every-op"
IDENTIFIER = f"mine/{EVERY}"
SAMPLE = Sample(2, "float64", EVERY)  # has both ops
RAISING, WRONG = "add", "divide"
KNOWN = KnownFailure(id=IDENTIFIER, reason="", says=f"TypeError: {RAISING}: a real operand *", kind="fault")


def is_beside_complex(i: int, operands: Any) -> bool:
    """Whether an operand is real, and another complex."""
    return operands[i].dtype.kind == "f" and any(x.dtype.kind == "c" for x in operands)


def raises(right: Any, i: int, g: Any, z: Any, *operands: Any) -> Any:
    """As the ops do that are known to."""
    if is_beside_complex(i, operands):
        raise TypeError("a real operand and a complex one")
    return right(i, g, z, *operands)


def doubled(right: Any, i: int, g: Any, z: Any, *operands: Any) -> Any:
    """A wrong number."""
    return right(i, g, z, *operands) * (2 if is_beside_complex(i, operands) else 1)


def message(*changed: Any) -> str:
    """What the check says of an engine with these rules."""
    engine = with_ops({op: altered_rule(op, rule) for op, rule in changed})
    with pytest.raises((TypeError, Violation)) as failure:
        load_all()[EVERY].function(engine, SAMPLE)
    return message_of(failure.value)


def test_an_exception_is_said_with_the_name_of_the_op() -> None:
    assert message((RAISING, raises)) == f"TypeError: {RAISING}: a real operand and a complex one"


def test_a_failing_op_that_is_known_is_known() -> None:
    assert entry_for([KNOWN], IDENTIFIER, message((RAISING, raises))) is KNOWN


@pytest.mark.parametrize("rule", [raises, doubled])
def test_what_fails_behind_an_op_that_raises_is_said_and_is_news(rule: Any) -> None:
    said = message((RAISING, raises), (WRONG, rule))
    assert {RAISING, WRONG} <= set(re.findall(r"\w+", said))
    assert said.count("\nalso: ") == 1
    assert entry_for([KNOWN], IDENTIFIER, said) is None


def test_several_are_known_where_each_is() -> None:
    of_other = KnownFailure(id=IDENTIFIER, reason="", says=f"TypeError: {WRONG}: *", kind="fault")
    said = message((RAISING, raises), (WRONG, raises))
    assert entry_for([of_other, KNOWN], IDENTIFIER, said) in (KNOWN, of_other)
    assert entry_for([of_other], IDENTIFIER, said) is None


def test_an_entry_about_the_size_of_an_error_explains_no_other_op() -> None:
    said = message((RAISING, raises), (WRONG, doubled))
    near = KnownFailure(id=IDENTIFIER, reason="", says=f"*{WRONG}*", within=0.5, kind="fault")
    assert entry_for([KNOWN, near], IDENTIFIER, said) is None


def test_of_several_one_of_which_is_not_implemented_the_other_gives_the_kind() -> None:
    declined = KnownFailure(id=IDENTIFIER, reason="", says=f"TypeError: {RAISING}: *", kind="not implemented")
    other = KnownFailure(id=IDENTIFIER, reason="", says=f"TypeError: {WRONG}: *", kind="fault")
    said = message((RAISING, raises), (WRONG, raises))
    assert entry_for([declined, other], IDENTIFIER, said) is other


def test_what_is_declined_of_one_member_hides_no_other() -> None:
    engine = NumpyTape()
    asked: list[str] = []

    def hold(number: int, member: Any, alone: Any) -> None:
        asked.append(str(member))
        if len(asked) == 1:
            raise Unsupported("not of this one")
        if len(asked) == 3:
            raise Violation(f"{member} is wrong", got=np.zeros(()))

    of = list(members(engine, SAMPLE, is_built=False))[:5]
    with pytest.raises(Violation, match="is wrong"):
        hold_for_each(engine, of, hold)
    assert asked == [*map(str, of), str(of[2])]  # the failing one again, with which a script ends
