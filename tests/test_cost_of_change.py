"""A change costs what CONTRIBUTING.md says: nothing in the core lists a format, an engine, a check or a mutant again."""

from __future__ import annotations

import importlib.metadata
import re
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import EntryPoint, EntryPoints
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from conformance_backends.mutants import Mutant
from conformance_backends.numpy_backend import NumpyTape

from conformance.backend import Backend
from conformance.checks import CHECKS, load_all
from conformance.checks.registry import contract
from conformance.checks.sample import Sample
from conformance.clauses import STANDARD
from conformance.clauses.clause import Clause, Level
from conformance.cli import main, report
from conformance.errors import Violation
from conformance.load import load_backend, named, registered
from conformance.selfcheck import selftest as selfcheck

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
ENGINES = sorted({name.partition(".")[0] for name in named()} - {"numpy"})
FEW = ("-n", "1", "--seed", "0")

ADAPTER = '''\
import numpy as np
from conformance.backend import FunctionalBackend
from conformance_backends import numpy_engine as engine


class Mine(FunctionalBackend):
    """An engine of one op."""

    engine = "mine"
    ops = {"tanh": np.tanh}

    def version(self):
        return "0.1"

    def array(self, value):
        return engine.Tensor(value)

    def numpy(self, array):
        return array.value

    def pullback(self, function, arrays):
        return engine.vjp(function, *arrays)

    def gradient(self, function, operands):
        return engine.grad(function)(*map(self.array, operands))
'''


# ---- a report format: one module, one entry-point line ---------------------------------------------------


def test_a_report_format_is_found_by_its_entry_point(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    module = ModuleType("report_as_tsv")
    module.render = lambda runs: "".join(f"{r.id},{r.verdict}\n" for run in runs for r in run.results)  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, module.__name__, module)
    point = EntryPoint("tsv", "report_as_tsv:render", "conformance.reports")
    installed = importlib.metadata.entry_points

    def with_tsv(*, group: str) -> EntryPoints:
        own = [point] if group == point.group else []
        return EntryPoints([*installed(group=group), *own])

    run, path = tmp_path / "run.jsonl", tmp_path / "report.tsv"
    arguments = ["report", str(run), "--format", "tsv", "-o", str(path)]
    assert main(["run", "numpy", "-q", "contract/A1", *FEW, "-o", str(run)]) == 0
    assert main(arguments) == 4
    assert "there is no report" in capsys.readouterr().err
    monkeypatch.setattr(importlib.metadata, "entry_points", with_tsv)
    monkeypatch.setattr(report, "entry_points", with_tsv, raising=False)  # where it is imported by name
    assert main(arguments) == 0
    assert re.fullmatch(r"(numpy/contract/A1/[\w-]+,pass\n)+", path.read_text(encoding="utf-8"))


# ---- an engine: one module, and a line in each list of the project -----------------------------------------


def test_an_adapter_in_a_file_is_checked_without_any_registration(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "mine.py"
    path.write_text(ADAPTER, encoding="utf-8")
    assert load_backend(str(path)).name == "mine"
    assert main(["run", str(path), "-q", "op/tanh/vjp", *FEW, "-o", str(tmp_path / "run.jsonl")]) == 0
    assert "mine" in capsys.readouterr().out


@pytest.mark.parametrize("engine", ENGINES)
def test_an_engine_has_its_extra_its_pin_its_environment_and_its_import_contract(engine: str) -> None:
    extras = PROJECT["project"]["optional-dependencies"]
    assert engine in extras
    is_in_all = bool(re.search(rf"[\[,]{engine}[\],]", extras["all"][0]))
    assert is_in_all == (engine in {name.partition(".")[0] for name in registered()})
    assert re.search(
        rf"^{engine}(-cpu)?==", (ROOT / "constraints.txt").read_text(encoding="utf-8"), re.MULTILINE
    )
    assert re.search(rf"^\[testenv:\{{.*\b{engine}\b", (ROOT / "tox.ini").read_text("utf-8"), re.MULTILINE)
    contracts = PROJECT["tool"]["importlinter"]["contracts"]
    assert [engine] in [contract.get("protected_modules") for contract in contracts]


# ---- a clause, its check, its mutant: neighbours, nothing else ---------------------------------------------


@pytest.fixture
def _own_registries(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Checks of which only those of special points are left, and a standard that forgets what is added."""
    kept = dict(load_all())
    for key, check in kept.items():
        if check.kind != "point":
            del CHECKS[key]
    monkeypatch.setitem(
        STANDARD, "B99", Clause("B99", Level.MUST, "A constant keeps its values.", "It is none otherwise.")
    )
    yield
    CHECKS.clear()
    CHECKS.update(kept)


class Doubling(NumpyTape):
    """The reference engine, whose constants are twice what they should be."""

    def array(self, value):  # type: ignore[no-untyped-def]
        return super().array(2 * value)


@pytest.mark.usefixtures("_own_registries")
def test_a_clause_its_check_and_its_mutant_are_found(capsys: pytest.CaptureFixture[str]) -> None:
    @contract("B99", "kept-values")
    def constant_keeps_its_values(engine: Backend, sample: Sample) -> None:
        """A constant keeps its values."""
        x = sample.array()
        if not np.array_equal(engine.numpy(engine.array(x)), x):
            raise Violation("a constant has other values")

    mutant = Mutant("doubling", "constants are doubled", ("contract/B99/kept-values",), Doubling, ())
    report = selfcheck.selftest([mutant], [Mutant("control", "", (), NumpyTape, ())])
    assert not report.survivors
    assert not report.control
    assert "contract/B99/kept-values" not in selfcheck.checks_without_mutant([mutant])
    assert main(["explain", "B99"]) == 0
    assert "contract/B99/kept-values" in capsys.readouterr().out
