"""Does what the documents show work?"""

from __future__ import annotations

import re
import subprocess
import tomllib
from pathlib import Path

import pytest

from .documents import ROOT, blocks, run_all

DOCUMENTS = ("README.md", "docs/adapter.md")
LINKED = (
    *DOCUMENTS,
    "docs/architecture.md",
    "docs/ci.md",
    "docs/glossary.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
)
LINK = re.compile(r"\]\((?!http)([^)#]+)")


@pytest.mark.parametrize("name", DOCUMENTS)
def test_what_a_document_shows_runs(name: str, tmp_path: Path) -> None:
    assert run_all(ROOT / name, tmp_path) > 1


@pytest.mark.parametrize("name", LINKED)
def test_links_lead_somewhere(name: str) -> None:
    document = ROOT / name
    dead = [
        to for to in LINK.findall(document.read_text(encoding="utf-8")) if not (document.parent / to).exists()
    ]
    assert not dead


def test_the_first_two_blocks_are_one_command_each() -> None:
    run, test = blocks(ROOT / "README.md")[:2]
    for block in (run, test):
        assert block.kind == "sh"
        assert len(block.text.splitlines()) == 1
        assert "-c constraints.txt" in block.text
    assert "conformance run numpy torch jax" in run.text
    assert "--html" in run.text
    assert "tox run" in test.text


def test_ci_runs_the_command_that_readme_shows() -> None:
    """The shell function by which CI reads README finds the same block as this test does."""
    script = (ROOT / ".ci/run").read_text(encoding="utf-8")
    function = re.search(r"^readme\(\) \{.*?^\}", script, re.MULTILINE | re.DOTALL)
    assert function
    shell = ["bash", "-c", f"{function[0]}\nreadme 2"]
    found = subprocess.run(shell, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert found == blocks(ROOT / "README.md")[1].text


def test_layers_of_the_architecture_are_those_of_the_import_contract() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]
    layers = next(contract["layers"] for contract in settings["contracts"] if contract["type"] == "layers")
    drawn = re.findall(
        r"^│ ([a-z_]+(?: · [a-z_]+)*)  ", (ROOT / "docs/architecture.md").read_text("utf-8"), re.MULTILINE
    )
    assert [line.replace(" · ", " | ") for line in drawn] == layers


def test_the_glossary_has_at_most_twenty_terms() -> None:
    rows = re.findall(
        r"^\| (?!term)(?!-)", (ROOT / "docs/glossary.md").read_text(encoding="utf-8"), re.MULTILINE
    )
    assert 0 < len(rows) <= 20


@pytest.mark.parametrize("name", LINKED)
def test_documents_are_of_a_page_or_two(name: str) -> None:
    assert len((ROOT / name).read_text(encoding="utf-8").splitlines()) < 150
