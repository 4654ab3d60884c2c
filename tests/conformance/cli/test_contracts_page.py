"""docs/contracts.md is what the checks call today, and no clause is asked of addition and multiplication alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.cli.pages.contracts import page
from conformance.ops.names import ADD, MULTIPLY
from conformance.selfcheck.contract_coverage import asked_with, narrow

pytestmark = pytest.mark.costly

PAGE = Path(__file__).parents[3] / "docs" / "contracts.md"
COMMAND = "conformance explain contracts -o docs/contracts.md"

# Clauses that may be asked of few ops, each with the reason.
OF_FEW_OPS = {
    "A2": "about the seed of an output, before any rule is called",
    "A3": "about the seed of an output, before any rule is called",
    "A18": "the reference engine declares no complex numbers; E23 asks every holomorphic op",
    "B2": "counts the calls of a custom rule below many paths; F3 counts the work of other graphs",
    "B4": "about what is stored at leaves; the tape histories of B19 mix ops",
    "B8": "about what is stored at arrays that are no leaf",
    "B11": "takes seconds, and is left out of the record: chains of negations and additions",
    "B13": "about what is stored at leaves; the tape histories of B19 mix ops",
    "B17": "about the nodes that engines show",
    "D5": "the reference engine refuses the write before any op is called",
}


def test_the_page_is_current_and_no_clause_is_asked_of_additions_and_products_alone() -> None:
    asked = asked_with()  # takes a minute, so that both are one test
    assert PAGE.read_text(encoding="utf-8") == page(asked), f"the page is out of date; run: {COMMAND}"
    assert set(narrow(asked, (ADD, MULTIPLY))) == set(OF_FEW_OPS)
