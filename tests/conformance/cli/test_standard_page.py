"""The page of the standard says every clause, and is the one that the command writes."""

from __future__ import annotations

from pathlib import Path

from conformance.checks import load_all
from conformance.clauses import STANDARD
from conformance.cli.pages.standard import COMMAND, WORKED, as_html, as_markdown, blocks

PAGE = Path(__file__).parents[3] / "docs" / "standard.md"


def test_the_page_in_the_tree_is_what_the_command_writes() -> None:
    is_current = PAGE.read_text(encoding="utf-8") == as_markdown(blocks())
    assert is_current, f"docs/standard.md is not what the clauses, checks and mutants say; run: {COMMAND}"


def test_every_clause_stands_on_the_page_in_both_forms() -> None:
    markdown, page = as_markdown(blocks()), as_html(blocks())
    for clause in STANDARD.values():
        assert clause.sentence in markdown
        assert f'id="{clause.number.lower()}"' in page


def test_the_values_shown_are_of_existing_examples() -> None:
    assert set(WORKED) <= set(load_all())
