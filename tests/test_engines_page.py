"""docs/engines.md says what the adapters say, and links every fault that is listed as known."""

from __future__ import annotations

import re
from importlib.metadata import entry_points
from pathlib import Path

import pytest

from conformance.clauses import STANDARD
from conformance.ops import CATALOGUE, FLAT
from conformance.runfile.known import read_known

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "engines.md").read_text(encoding="utf-8")
BACKENDS = re.search(r"^\| clause \| (.*) \|$", PAGE, re.MULTILINE)[1].replace("`", "").split(" | ")  # type: ignore[index]


def row(first: str) -> list[str]:
    """The cells of the table's row whose first cell is `first`."""
    line = next((x for x in PAGE.splitlines() if x.startswith(f"| {first} |")), None)
    assert line is not None, f"docs/engines.md has no row for {first}"
    return [cell.strip() for cell in line.strip("|").split("|")]


def test_the_page_names_every_backend() -> None:
    declared = {point.name for point in entry_points(group="conformance.backends")}
    assert set(BACKENDS) == declared


@pytest.mark.parametrize("name", BACKENDS)
def test_a_backend_has_the_ops_and_elections_the_page_says(name: str) -> None:
    (point,) = entry_points(group="conformance.backends", name=name)
    pytest.importorskip(name.partition(".")[0])
    backend = point.load()()
    assert row(f"`{name}`")[1:4] == [
        backend.version().partition("+")[0],
        str(len(set(backend.ops) & set(CATALOGUE))),
        str(len(set(backend.ops) & set(FLAT))),
    ]
    column = 1 + BACKENDS.index(name)
    elected = {number: row(number)[column] for number, clause in STANDARD.items() if clause.conventions}
    assert {number: choice for number, choice in elected.items() if choice} == dict(backend.conventions)


def test_the_page_links_every_known_fault_and_only_scripts_that_are_there() -> None:
    linked = set(re.findall(r"\]\((findings/\w+\.py)\)", PAGE))
    known = {entry.script.removeprefix("docs/") for entry in read_known(ROOT / "known-failures.toml")}
    assert known <= linked
    assert all((ROOT / "docs" / path).exists() for path in linked)
