"""A function that is compiled once and called in several precisions: the message says in which, and in which before."""

from __future__ import annotations

import pytest

from conformance.checks import load_all
from conformance.checks.sample import Sample
from conformance.errors import Violation
from conformance.selfcheck.selftest import registered_mutants


def test_the_message_names_the_precisions_of_the_calls_before() -> None:
    check = load_all()["contract/C10/numbers-again"]
    engine = registered_mutants()["first-dtype-for-all"].make()
    with pytest.raises(
        Violation, match=r"call 2 of one compiled x² times 0\.5, in float\d\d, after calls in float\d\d"
    ):
        check.function(engine, Sample(0, "float64"))
