"""Is the hosted folder whole, and are names from outside only text in it?"""

from __future__ import annotations

import re
from pathlib import Path

from conformance_reports.site import file_name, is_program, write_site

from .synthetic import HOSTILE, OPS, hostile_run, small_run


def test_there_is_a_page_per_engine_op_and_clause(tmp_path: Path) -> None:
    pages = write_site(tmp_path, [small_run()])
    written = {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*.html")}
    assert len(written) == pages + 1
    assert {"index.html", "engine/slate.html", "clause/E1.html"} <= written
    assert {f"op/{op}.html" for op in OPS} <= written
    slate = (tmp_path / "engine" / "slate.html").read_text(encoding="utf-8")
    assert "silently wrong numbers" in slate
    assert "slate.atan2(x, x)" in slate
    assert "../index.html#/engine/slate" in slate


def test_hostile_names_leave_the_folder_nowhere_and_are_escaped(tmp_path: Path) -> None:
    write_site(tmp_path / "site", [hostile_run()])
    assert {path.name for path in tmp_path.iterdir()} == {"site"}
    for path in (tmp_path / "site").glob("*/*.html"):
        text = path.read_text(encoding="utf-8")
        assert "<script" not in text
        assert "<img" not in text
        assert not re.search(r"href=\"(?!\.\./index\.html)", text)


def test_a_name_is_made_safe_for_a_file() -> None:
    assert file_name("../../etc/passwd") == "_.._etc_passwd"
    assert file_name(HOSTILE[0]) == "_script_alert_1_script_"
    assert file_name("…") == "_"


def test_comments_alone_are_no_script() -> None:
    assert is_program("# got 1.0\nprint(1)\n")
    assert not is_program("\n# expected 1.0\n  # got 0.0\n")
