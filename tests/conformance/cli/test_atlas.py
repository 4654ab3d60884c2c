"""`atlas` measures, shows what stands apart, prints declarations, and compares two files."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.costly

Command = Callable[..., Any]

ENGINE = Path(__file__).parents[2] / "adapters" / "two_kinks.py"


def test_the_atlas_of_a_small_engine_can_be_kept_and_compared(command: Command) -> None:
    done = command("atlas", ENGINE, "-q", "op/relu", "-q", "A2", "-o", "before.json")
    assert done.code == 0, done.said
    lines = done.out.splitlines()
    assert lines[0].startswith("backends differ at 0 of ")
    (line,) = [line for line in lines if line.startswith("relu/at-0 ")]
    assert line.split(maxsplit=1)[1].startswith("gradient 0 (zero)  x = 0  ")
    assert max(map(len, lines)) <= 100
    assert "measuring" in done.err
    kept = done.folder / "before.json"
    kept.with_name("after.json").write_text(kept.read_text().replace('"found": "zero"', '"found": "right"'))
    compared = command("atlas", "--diff", "before.json", "after.json")
    assert compared.code == 1
    assert "relu/at-0" in compared.out
    assert command("atlas", "--diff", "before.json", "before.json").out == "no backend has changed\n"


def test_declarations_are_python_to_paste_and_rows_are_json(command: Command) -> None:
    done = command("atlas", ENGINE, "-q", "op/relu", "-q", "B3", "--conventions")
    declared: dict[str, dict[str, str]] = {}
    exec(done.out, declared)
    assert declared["points"]["relu/at-0"] == "zero"
    assert "B3" in declared["conventions"]
    rows = json.loads(command("atlas", ENGINE, "-q", "op/abs", "--json").out)
    assert {"place", "clause", "among", "entries", "dtype"} == set(rows[0])


def test_only_what_is_asked_is_measured(command: Command) -> None:
    done = command("atlas", ENGINE, "-q", "op/relu", "-q", "B3", "--json")
    places = [row["place"] for row in json.loads(done.out)]
    assert "relu/at-0" in places
    assert "B3" in places
    assert all(place == "B3" or place.startswith("relu/") for place in places)
    none = command("atlas", ENGINE, "-q", "op/rleu")
    assert none.code == 5
    assert "no row of the atlas matches" in none.err


def test_a_model_names_its_rows(command: Command) -> None:
    done = command("atlas", ENGINE, "--ops-of", "ReLU,gelo")
    assert "no op of the catalogue is called gelo" in done.err
    assert "relu/at-0" in done.out
    assert "abs/at-0" not in done.out
    assert command("atlas", ENGINE, "--ops-of", "missing.py").code == 4


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="Linux's disk that is full")
def test_what_was_measured_is_printed_where_the_file_cannot_be_written(command: Command) -> None:
    done = command("atlas", ENGINE, "-q", "op/relu", "-o", "/dev/full")
    assert done.code == 4
    assert "relu/at-0" in done.out
    assert "No space left on device" in done.err
