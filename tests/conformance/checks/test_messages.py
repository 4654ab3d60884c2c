"""What a message of a check says can be understood by who does not know the check: it counts from one, and says nothing thrice."""

from __future__ import annotations

import re

import pytest

from conformance.checks import load_all
from conformance.checks.sample import Sample
from conformance.clauses import STANDARD
from conformance.errors import Violation
from conformance.questions.samples import NoConvention
from conformance.selfcheck.selftest import registered_mutants


@pytest.mark.parametrize(
    ("mutant", "check"),
    [
        ("rule-answers-kept", "contract/B7/other-cotangents"),
        ("pullback-remembers-by-array", "contract/B7/changed-cotangent"),
    ],
)
def test_what_first_differs_in_the_second_pass_is_said_to_be_in_pass_2(mutant: str, check: str) -> None:
    engine = registered_mutants()[mutant].make()
    with pytest.raises(Violation, match="in pass 2 of three"):
        load_all()[check].function(engine, Sample(0, "float64"))


def test_no_check_counts_its_passes_threads_calls_or_steps_from_zero() -> None:
    """A number that comes from `enumerate` or `range` in a message, behind such a word, is one that starts at one."""
    counted = re.compile(r"(?:pass|thread|call|step|leaf|hook) \{(\w+)\}")
    for check in load_all().values():
        path = check.function.__code__.co_filename
        with open(path, encoding="utf-8") as file:
            text = file.read()
        for found in counted.finditer(text):
            loops = re.findall(
                rf"for {found[1]}(?:, [^\n]*)? in (?:enumerate|range)\((?:[^\n]|\n(?! *for))*?\):",
                text[: found.start()],
            )
            assert not loops or re.search(r"start=1\)|, 1\)|range\(1, ", loops[-1]), (
                path,
                found[0],
                loops[-1],
            )


def test_where_a_clause_fails_alike_by_each_convention_that_is_said_once() -> None:
    names = STANDARD["B3"].conventions
    alike = NoConvention("B3", {name: Violation("2 at [0], not 1") for name in names})
    assert str(alike) == "none of the conventions of B3 holds; under each convention: 2 at [0], not 1"
    several = NoConvention("B3", {name: Violation(f"{len(name)} at [0]") for name in names})
    assert all(f"as {name!r}: {len(name)} at [0]" in str(several) for name in names)
