"""What is said where an adapter cannot be loaded."""

from __future__ import annotations

import builtins
import importlib
import platform
from pathlib import Path

import pytest

from conformance.errors import AdapterError, UsageError
from conformance.load import load_backend, start_timeout


def test_an_adapter_whose_engine_this_python_cannot_read_is_reported_with_the_file_and_the_version(
    tmp_path: Path,
) -> None:
    (tmp_path / "newer_engine.py").write_text("\nx = (1\n")
    adapter = tmp_path / "newer_adapter.py"
    adapter.write_text("import newer_engine\n")
    with pytest.raises(AdapterError) as raised:
        load_backend(str(adapter))
    said = str(raised.value)
    assert f"in {tmp_path / 'newer_engine.py'}, line 2; this is Python {platform.python_version()}" in said


@pytest.mark.parametrize(("module", "name"), [("builtins", "max"), ("numpy", "exp"), ("math", "sqrt")])
def test_an_adapter_that_replaces_what_the_suite_computes_with_is_refused_and_that_is_put_back(
    tmp_path: Path, module: str, name: str
) -> None:
    """With another max the plan of a run never ended."""
    adapter = tmp_path / "replacing_adapter.py"
    adapter.write_text(
        f"import {module}\nfrom conformance_backends.numpy_backend import NumpyTape\n\n"
        f"{module}.{name} = lambda *values: 0\n\n\nclass Mine(NumpyTape):\n    pass\n"
    )
    before = getattr(importlib.import_module(module), name)
    with pytest.raises(AdapterError) as error:
        load_backend(str(adapter))
    assert f"importing {adapter} replaces {module}.{name} for the whole process" in str(error.value)
    assert getattr(importlib.import_module(module), name) is before


def test_an_adapter_may_replace_what_debuggers_and_terminals_do(tmp_path: Path) -> None:
    adapter = tmp_path / "printing_adapter.py"
    adapter.write_text(
        "import builtins\nfrom conformance_backends.numpy_backend import NumpyTape\n\n"
        "builtins.breakpoint = print\n\n\nclass Mine(NumpyTape):\n    pass\n"
    )
    hook = builtins.breakpoint
    try:
        assert load_backend(str(adapter)).name
    finally:
        builtins.breakpoint = hook


@pytest.mark.parametrize("text", ["0", "nan", "inf", "1e10", "soon"])
def test_a_patience_that_no_clock_takes_is_refused(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CONFORMANCE_PATIENCE", text)
    with pytest.raises(UsageError, match="above zero, and at most 1000000"):
        start_timeout()
