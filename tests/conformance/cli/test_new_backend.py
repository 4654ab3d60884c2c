"""new-backend writes a file that says itself what is missing, and never writes over one."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

import pytest
from conformance_backends.numpy_backend import NumpyTape

from conformance.cli import main
from conformance.cli.pages.smoke_declared import to_paste

pytestmark = pytest.mark.costly


@pytest.mark.parametrize("flags", [[], ["--functional"]])
def test_the_file_loads_and_smoke_says_what_to_fill_in(
    flags: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "pip_adapter.py"
    assert main(["new-backend", "pip", "-o", str(path), *flags]) == 0
    assert "conformance smoke" in capsys.readouterr().out
    assert main(["smoke", str(path)]) == 11
    printed = capsys.readouterr().out
    assert "NotImplementedError: array" in printed
    assert "correct this first" in printed


def test_nothing_is_written_over(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "mine.py"
    path.write_text("precious", encoding="utf-8")
    assert main(["new-backend", "mine", "-o", str(path)]) == 4
    assert path.read_text(encoding="utf-8") == "precious"
    assert "-o FILE" in capsys.readouterr().err


def test_a_workflow_is_written_beside_an_adapter_that_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mine_adapter.py").write_text("precious", encoding="utf-8")
    assert main(["new-backend", "mine", "--github", "--gitlab"]) == 0
    assert Path("mine_adapter.py").read_text(encoding="utf-8") == "precious"
    assert 'BACKEND: "mine_adapter.py"' in Path(".github/workflows/conformance.yml").read_text(
        encoding="utf-8"
    )
    printed = capsys.readouterr().out
    assert "conformance known update run.jsonl" in printed  # without it the first run of the workflow is red
    assert "new-backend" not in printed
    assert main(["new-backend", "mine", "--gitlab"]) == 4
    assert ".gitlab-ci.yml is there already; choose another with --gitlab FILE" in capsys.readouterr().err


def test_a_name_that_is_none_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["new-backend", "../mine"]) == 4
    assert "no name for an engine" in capsys.readouterr().err


def test_smoke_of_a_right_adapter_names_the_next_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "mine.py"
    path.write_text(
        "import numpy as np\n"
        "from conformance_backends.numpy_backend import NumpyTape\n\n\n"
        "class Mine(NumpyTape):\n"
        '    ops = {name: NumpyTape.ops[name] for name in ("add", "multiply", "sum")}\n',
        encoding="utf-8",
    )
    assert main(["smoke", str(path)]) == 0
    *_, last = capsys.readouterr().out.splitlines()
    assert last.startswith("next: ")
    assert f"conformance run {path} --profile quick" in last


def test_a_claim_that_the_engine_contradicts_is_settled_by_a_known_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mine.py").write_text(
        "from conformance_backends.numpy_backend import NumpyTape\n\n\nclass Mine(NumpyTape):\n"
        "    ops = {name: NumpyTape.ops[name] for name in ('add', 'multiply', 'sum')}\n\n"
        "    def gradient(self, function, operands):\n        raise ValueError('no scalars')\n",
        encoding="utf-8",
    )
    smoke = ["smoke", "mine.py", "-q", "add"]
    assert main(smoke) == 11
    assert (
        "settles it (--known): mine/smoke/a-scalar-needs-no-cotangent, mine/smoke/the-g"
        in capsys.readouterr().out
    )
    Path("known.toml").write_text(
        '[[known]]\nid = "mine/smoke/*"\nreason = "it takes no scalars"\n'
        'kind = "fault"\nsays = "ValueError: no scalars*"\n',
        encoding="utf-8",
    )
    assert main([*smoke, "--known", "known.toml"]) == 0
    printed = capsys.readouterr().out
    assert (
        "  KNOWN a scalar needs no cotangent\n          it takes no scalars: ValueError: no scalars"
        in printed
    )
    assert "BAD" not in printed


def test_what_is_declared_of_single_ops_is_printed_with_what_was_found() -> None:
    class Mine(NumpyTape):
        conventions: ClassVar[dict[str, str]] = {"A14/less": "zeros", "A5/nll": "cast", "A5/exp": "cast"}

    found = {"A5": "refused", "A5/exp": "refused", "B3": "replaces"}
    assert list(to_paste(Mine(), found).items()) == [
        ("A5", "refused"),
        ("A5/exp", "refused"),
        ("A5/nll", "cast"),
        ("B3", "replaces"),
    ]
    assert to_paste(Mine(), {}) == {}


def test_smoke_prints_what_to_declare(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["smoke", "numpy", "--conventions"]) == 0
    printed = capsys.readouterr().out
    assert "A2   refused" in printed
    assert "SAY" not in printed


def test_a_name_that_is_taken_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "numpy_adapter.py"
    assert main(["new-backend", "numpy", "-o", str(path)]) == 0
    said = f"`conformance run numpy` asks that one, `conformance run {path}` yours"
    assert said in capsys.readouterr().out
    assert main(["new-backend", "mine", "-o", str(tmp_path / "mine_adapter.py")]) == 0
    assert "asks that one" not in capsys.readouterr().out


def test_an_adapter_has_the_suffix_of_a_module(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("mine.txt", "mine"):
        assert main(["new-backend", "mine", "-o", str(tmp_path / name)]) == 4
        assert "a name that ends with .py" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())
