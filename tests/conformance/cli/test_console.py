"""What long work says of itself."""

from __future__ import annotations

from typing import Any

from conformance.cli.console import Doing


def test_where_no_line_can_be_written_over_long_work_says_now_and_then_what_it_is_at(
    monkeypatch: Any, capsys: Any
) -> None:
    now = [0.0]
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    doing = Doing()
    doing("the first call")
    now[0] += Doing.PAUSE + 1
    doing("the second call")
    doing("the third call")
    doing.erase()
    assert capsys.readouterr().err == "  the second call\n"
