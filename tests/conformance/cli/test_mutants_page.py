"""docs/mutants.md is what the command writes from the recorded mutants."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.cli.pages.mutants import COMMAND, DATA, page, read_lines, record
from conformance.errors import UsageError
from conformance.runfile.generated import GeneratedLine

DOCS = Path(__file__).parents[3] / "docs"


def test_the_page_in_the_tree_is_what_the_command_writes() -> None:
    is_current = (DOCS / "mutants.md").read_text(encoding="utf-8") == page(read_lines(DOCS / DATA))
    assert is_current, f"docs/mutants.md is not what docs/{DATA} says; run: {COMMAND}"


def test_survivors_are_listed_with_their_factor_and_equivalent_ones_apart() -> None:
    lines = [
        GeneratedLine("rules/abs/rule-1/0", "rules", "abs", "removed call", "a * b → a", ("quick",), "quick"),
        GeneratedLine(
            "rules/abs/rule-1/1", "rules", "abs", "constant", "1 → 2", ("quick",), shows="dtype: float32"
        ),
        GeneratedLine(
            "rules/abs/rule-1/2", "rules", "abs", "axis", "x[0] → x", ("quick",), apart="equivalent"
        ),
        GeneratedLine("guarded/abs/0", "guarded", "abs", "size and rank", "doubled where large", ("quick",)),
    ]
    text = page(lines)
    assert "| rules | quick | 1 | 2 | 50.0 | 1 |" in text
    assert "| `rules/abs/rule-1/1` | 1 → 2 | dtype: float32 |" in text
    assert "| `rules/abs/rule-1/2` | x\\[0] → x | equivalent |" in text
    assert "| guarded | rank | 0 | 1 |" in text


def test_data_that_is_missing_or_something_else_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="--runs"):
        read_lines(tmp_path / "none.jsonl")
    (tmp_path / "other.jsonl").write_text("{}\n", encoding="utf-8")
    with pytest.raises(UsageError, match="does not hold mutants"):
        read_lines(tmp_path / "other.jsonl")


def test_a_run_without_such_mutants_renews_nothing(tmp_path: Path) -> None:
    from conformance.run.plan import header_of
    from conformance.runfile.writer import RunWriter

    writer = RunWriter(tmp_path / "run.jsonl", header_of("selftest", 0))
    writer.close()
    with pytest.raises(UsageError, match="no run holds"):
        record(tmp_path / "data" / "mutants.jsonl", [tmp_path / "run.jsonl"])
