"""Does every verb print one document of JSON, and nothing else, on standard output?"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from conformance.cli import VERBS
from tests.conformance.conftest import clean_environment

pytestmark = pytest.mark.costly

ADAPTER = """
import os, sys
from conformance_backends.numpy_backend import NumpyTape

def tanh(x):
    print("an engine's own words")
    os.write(1, b"and those of its C code\\n")
    return NumpyTape.ops["tanh"](x)

class Mine(NumpyTape):
    ops = {"tanh": tanh, **{name: NumpyTape.ops[name] for name in ("add", "multiply", "sum")}}
"""
TOKEN = "mine/op/tanh/vjp/float64"
CALLS: dict[str, tuple[str, ...]] = {
    "run": ("mine.py", "-q", "op/tanh/vjp/float64", "-n", "1", "-o", "run.jsonl"),
    "replay": (TOKEN, "--trust"),
    "report": ("run.jsonl", "-o", "run.csv"),
    "compare": ("run.jsonl", "run.jsonl"),
    "merge": ("run.jsonl", "-o", "merged.jsonl"),
    "known": ("check", "run.jsonl", "--known", "known.toml"),
    "list": ("ops", "tanh"),
    "explain": ("tanh",),
    "doctor": ("mine.py",),
    "smoke": ("mine.py", "-q", "tanh"),
    "new-backend": ("other", "--gitlab"),
    "cache": (),
    "atlas": ("numpy", "-q", "A2"),
    "bench": ("numpy", "--workload", "linear", "--size", "small"),
    "selftest": ("--power", "op/tanh/vjp/float64", "-n", "1"),
    "sensitivity": ("mine.py", "-q", "tanh"),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with an adapter that prints, and its run."""
    place = tmp_path_factory.mktemp("json")
    (place / "mine.py").write_text(ADAPTER)
    (place / "known.toml").write_text('[[known]]\nid = "mine/op/tanh/vjp/float64"\nreason = "none"\n')
    printed = document(place, "run")
    assert printed["counts"] == {"mine": {"pass": 1}}
    return place


def document(folder: Path, verb: str) -> Any:
    """What a verb prints, decoded; fails where that is no JSON, or more than JSON."""
    done = subprocess.run(
        [sys.executable, "-P", "-m", "conformance", verb, "--json", *CALLS[verb]],
        cwd=folder,
        env={**clean_environment(), "XDG_CACHE_HOME": str(folder)},
        capture_output=True,
        encoding="utf-8",
        timeout=90,
        check=False,
    )
    assert done.returncode in (0, 1, 10), done.stderr
    assert "Traceback" not in done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("verb", [verb for verb in VERBS if verb != "run"])
def test_a_verb_prints_one_document(verb: str, folder: Path) -> None:
    assert document(folder, verb)


def test_every_verb_is_called() -> None:
    assert set(CALLS) == set(VERBS)
