"""`atlas` measures, shows what stands apart, prints declarations, and compares two files."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

Command = Callable[..., Any]

ENGINE = Path(__file__).parents[2] / "adapters" / "two_kinks.py"


def test_the_atlas_of_a_small_engine_can_be_kept_and_compared(command: Command) -> None:
    told = command("atlas", ENGINE, "-o", "before.json")
    assert told.code == 0, told.said
    lines = told.out.splitlines()
    assert lines[0].split()[:2] == ["where", "clause"]
    assert any(line.split()[:3] == ["relu/at-0", "E12", "zero"] for line in lines)
    assert "backends differ (≠) at 0" in lines[-1]
    kept = told.folder / "before.json"
    kept.with_name("after.json").write_text(kept.read_text().replace('"found": "zero"', '"found": "right"'))
    compared = command("atlas", "--diff", "before.json", "after.json")
    assert compared.code == 1
    assert "relu/at-0" in compared.out
    assert command("atlas", "--diff", "before.json", "before.json").out == "no backend has changed\n"


def test_declarations_are_python_to_paste_and_rows_are_json(command: Command) -> None:
    told = command("atlas", ENGINE, "--elections")
    declared: dict[str, dict[str, str]] = {}
    exec(told.out, declared)
    assert declared["points"]["relu/at-0"] == "zero"
    assert "B3" in declared["conventions"]
    rows = json.loads(command("atlas", ENGINE, "--json").out)
    assert {"place", "clause", "among", "entries"} == set(rows[0])
