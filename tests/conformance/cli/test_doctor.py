"""Does `doctor` say what is missing, and what to do next?"""

from __future__ import annotations

from importlib import metadata
from pathlib import Path
from typing import Any

import pytest

from conformance import load
from conformance.cli import doctor, main
from conformance.cli.doctor import Finding, next_steps

MINE = """
from conformance_backends.numpy_backend import NumpyTape

class Mine(NumpyTape):
    pass
"""
BROKEN = "raise OSError('libmine.so is missing')"


def test_an_engine_that_is_not_installed_comes_with_the_command_that_installs_it(
    monkeypatch: Any, capsys: Any
) -> None:
    monkeypatch.setattr(load, "engine_version", lambda name: "9.9" if name == "torch" else "")
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert main(["doctor"]) == 0
    said = capsys.readouterr().out
    lines = {line.split()[1]: line for line in said.splitlines() if len(line.split()) > 2}
    assert lines["torch"].split() == ["ok", "torch", "9.9"]
    for engine in ("autograd", "mygrad", "tensorflow", "mlx", "tinygrad"):  # those outside of `all` too
        assert lines[engine].split()[0] == "none"
        assert f"pip install 'autograd-conformance[{engine}]'" in lines[engine]
    steps = said.partition("what to do next")[2]
    assert "conformance doctor torch" in steps
    assert "conformance run torch --profile quick --html report.html" in steps


def test_the_next_step_with_an_adapter_of_ones_own_is_a_command_that_works(
    tmp_path: Path, monkeypatch: Any, capsys: Any
) -> None:
    (tmp_path / "mine.py").write_text(MINE)
    monkeypatch.chdir(tmp_path)
    assert main(["doctor", "mine.py"]) == 0
    said = capsys.readouterr().out
    assert "conformance run mine.py --profile quick" in said
    assert "see whether an engine starts" not in said


def test_an_engine_that_cannot_start_is_named_with_its_reason(
    tmp_path: Path, monkeypatch: Any, capsys: Any
) -> None:
    (tmp_path / "broken.py").write_text(BROKEN)
    monkeypatch.chdir(tmp_path)
    assert main(["doctor", "broken.py"]) == 11
    said = capsys.readouterr().out
    assert "libmine.so is missing" in said.partition("what to do next")[2]
    assert "conformance run" not in said


def test_a_package_that_is_missing_comes_with_the_command_that_installs_it(monkeypatch: Any) -> None:
    def version(name: str) -> str:
        if name in ("hypothesis", "shtab"):
            raise metadata.PackageNotFoundError(name)
        return "1"

    monkeypatch.setattr("importlib.metadata.version", version)
    found = {finding.name: finding for finding in doctor.packages()}
    assert found["hypothesis"].state == "BAD"
    assert "pip install autograd-conformance" in found["hypothesis"].fact
    assert found["shtab"].state == "none"
    assert "autograd-conformance[completion]" in found["shtab"].fact
    assert next(next_steps(list(found.values()), [], is_started=False)).startswith("mend hypothesis")


@pytest.mark.parametrize(("load_average", "is_said"), [(0.1, False), (1000.0, True)])
def test_a_busy_machine_is_pointed_out(monkeypatch: Any, load_average: float, is_said: bool) -> None:
    monkeypatch.setattr("os.getloadavg", lambda: (load_average, 0.0, 0.0))
    assert ("load" in {finding.name for finding in doctor.machine()}) is is_said


def test_without_any_engine_the_first_step_is_to_install_one() -> None:
    nothing = [Finding("engines", "none", "torch", "not installed: pip install torch")]
    for ready in (["numpy"], ["numpy", "numpy.spelled"]):
        assert next(next_steps(nothing, ready, is_started=False)) == "install an engine, one of those above"
