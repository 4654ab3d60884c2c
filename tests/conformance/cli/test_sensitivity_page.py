"""docs/sensitivity.md is what the command writes from the recorded figures."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.cli import main
from conformance.cli.pages.sensitivity import COMMAND, DATA, as_json, page, read_figures
from conformance.errors import UsageError
from conformance.selfcheck.sensitivity import Figure

DOCS = Path(__file__).parents[3] / "docs"


def test_the_page_in_the_tree_is_what_the_command_writes() -> None:
    is_current = (DOCS / "sensitivity.md").read_text(encoding="utf-8") == page(read_figures(DOCS / DATA))
    assert is_current, f"docs/sensitivity.md is not what docs/{DATA} says; run: {COMMAND}"


def test_the_command_writes_the_page_from_the_data_beside_it(tmp_path: Path) -> None:
    figures = [
        Figure("mine", "tanh", "float64", "conformance", 2.5e-15),
        Figure("mine", "imag", "float64", "conformance", why="no gradient is other than zero"),
        Figure("mine", "tanh", "float64", "its own test", is_false_alarm=True),
    ]
    (tmp_path / "data").mkdir()
    (tmp_path / DATA).write_text(as_json(figures), encoding="utf-8")
    assert read_figures(tmp_path / DATA) == figures
    assert main(["explain", "sensitivity", "-o", str(tmp_path / "sensitivity.md")]) == 0
    text = (tmp_path / "sensitivity.md").read_text(encoding="utf-8")
    assert "| mine | tanh | 2.5e-15 | wrong as it is |  |" in text
    assert "| mine | imag | none |  | float64: no gradient is other than zero |" in text


def test_data_that_is_missing_or_something_else_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="measure it"):
        read_figures(tmp_path / "none.json")
    (tmp_path / "other.json").write_text("{}", encoding="utf-8")
    with pytest.raises(UsageError, match="does not hold figures"):
        read_figures(tmp_path / "other.json")
