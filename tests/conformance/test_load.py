"""What is said where an adapter cannot be loaded."""

from __future__ import annotations

import platform
from pathlib import Path

import pytest

from conformance.errors import AdapterError
from conformance.load import load_backend


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
