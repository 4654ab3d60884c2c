"""A reader who opens the tree finds their way: no module is long, no folder is crowded."""

from __future__ import annotations

from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = ("conformance", "backends", "reports")
MODULES = sorted(path for package in PACKAGES for path in (ROOT / package).rglob("*.py"))
FOLDERS = sorted({path.parent for path in MODULES})

MOST_LINES = 300  # of a module
MOST_MODULES = 24  # of a folder, which a listing still shows on one screen


def named(path: Path) -> str:
    """The path within the project."""
    return path.relative_to(ROOT).as_posix()


def test_there_are_modules() -> None:
    assert len(MODULES) > 100


@pytest.mark.parametrize("module", MODULES, ids=named)
def test_a_module_is_short(module: Path) -> None:
    lines = len(module.read_text(encoding="utf-8").splitlines())
    assert lines <= MOST_LINES, f"{named(module)} has {lines} lines: divide it by subject"


@pytest.mark.parametrize("folder", FOLDERS, ids=named)
def test_a_folder_is_not_crowded(folder: Path) -> None:
    count = len(list(folder.glob("*.py")))
    assert count <= MOST_MODULES, f"{named(folder)} has {count} modules: make packages of them"
