"""A damaged distribution costs its own entry points alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from conformance import importing
from conformance.cli import main


@pytest.mark.parametrize("content", [b"\xff\xfe\x00", b"[conformance.backends]\nno equals sign\n"])
def test_a_damaged_list_of_entry_points_is_named_and_the_others_are_read(
    content: bytes, tmp_path: Path, monkeypatch: Any, capsys: Any
) -> None:
    folder = tmp_path / "broken-1.0.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: broken\nVersion: 1.0\n")
    (folder / "entry_points.txt").write_bytes(content)
    monkeypatch.syspath_prepend(tmp_path)
    importing._say_damaged.cache_clear()
    assert main(["list", "backends"]) == 0
    printed = capsys.readouterr()
    assert "numpy" in printed.out
    (said,) = printed.err.splitlines()
    assert f"the entry points of {folder} cannot be read (" in said
