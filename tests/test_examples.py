"""Do the examples run, and does the suite see what is wrong with an engine like theirs?"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from .documents import ROOT, python

pytestmark = pytest.mark.costly

MAIN = "import sys; from conformance.cli import main; sys.exit(main())"
SCRIPTS = sorted(path.name for path in (ROOT / "examples").glob("*.py") if not path.stem.endswith("_adapter"))


@pytest.mark.parametrize("name", SCRIPTS)
def test_script_runs_and_says_something(name: str, tmp_path: Path) -> None:
    assert python(str(ROOT / "examples" / name), folder=tmp_path).stdout


def test_students_engine_conforms(tmp_path: Path) -> None:
    adapter = str(ROOT / "examples/micrograd_adapter.py")
    said = python("-c", MAIN, "run", adapter, "-q", "contract", folder=tmp_path).stdout
    assert "micrograd" in said


@pytest.mark.parametrize(
    ("right", "wrong", "query", "said"),
    [
        (
            "return Value(value)\n",
            "return self.leaf(value)\n",
            "contract/C4",
            "needs no gradient but got one",
        ),
        ("lambda g: (g, -g)", "lambda g: (g, g)", "op/subtract/vjp", "differs from the reference VJP"),
        ("arrived[parent] + part if parent in arrived else part", "part", "contract/B1", "B1"),
    ],
    ids=["constants as leaves", "a sign", "no sum over uses"],
)
def test_students_slips_are_found(right: str, wrong: str, query: str, said: str, tmp_path: Path) -> None:
    text = (ROOT / "examples/micrograd_adapter.py").read_text(encoding="utf-8")
    assert text.count(right) == 1
    (tmp_path / "slip.py").write_text(text.replace(right, wrong), encoding="utf-8")
    with pytest.raises(AssertionError, match="ended with 1") as ended:
        python("-c", MAIN, "run", "slip.py", "-q", query, folder=tmp_path)
    assert said in str(ended.value)


def test_examples_need_nothing_of_this_tree(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    python("-c", "import runpy; runpy.run_path('examples/micrograd_adapter.py')", folder=tmp_path)
