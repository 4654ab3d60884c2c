"""Surveys: what stands apart comes first, and what has changed between two is listed."""

from pathlib import Path

import pytest

from conformance.atlas.survey import (
    Atlas,
    Entry,
    Survey,
    changes,
    read_atlas,
    rows_of,
    surveyed,
    write_atlas,
)
from conformance.errors import AdapterError, UsageError
from conformance.runfile.records import BackendLine

ADAPTERS = Path(__file__).parents[2] / "adapters"


def atlas(**found: dict[str, str]) -> Atlas:
    """An atlas of backends, each with what was found where."""
    return Atlas(
        1,
        "digest",
        tuple(
            Survey(
                BackendLine(name, name, "1.0"),
                tuple(Entry(place, "E12", word, "fair") for place, word in places.items()),
            )
            for name, places in found.items()
        ),
    )


def test_rows_in_which_backends_differ_come_first() -> None:
    rows = rows_of(atlas(a={"A2": "refused", "abs/at-0": "zero"}, b={"A2": "refused", "abs/at-0": "right"}))
    assert [(row.place, row.is_apart) for row in rows] == [("abs/at-0", True), ("A2", False)]


def test_a_backend_without_an_op_has_no_entry_and_does_not_differ() -> None:
    (row,) = rows_of(atlas(a={"abs/at-0": "zero"}, b={}))
    assert list(row.entries) == ["a"]
    assert not row.is_apart


def test_changes_tell_what_was_and_what_is() -> None:
    before = atlas(a={"abs/at-0": "zero", "relu/at-0": "zero"}, b={"abs/at-0": "zero"})
    after = atlas(a={"abs/at-0": "right"}, c={"abs/at-0": "zero"})
    listed = [(c.backend, c.place, c.before, c.after) for c in changes(before, after)]
    assert listed == [("a", "abs/at-0", "zero", "right"), ("a", "relu/at-0", "zero", "")]


def test_an_atlas_is_read_as_it_was_written(tmp_path: Path) -> None:
    written = atlas(a={"abs/at-0": "zero"})
    write_atlas(tmp_path / "atlas.json", written)
    assert read_atlas(tmp_path / "atlas.json") == written
    (tmp_path / "atlas.json").write_text("{}")
    with pytest.raises(UsageError, match="is no atlas"):
        read_atlas(tmp_path / "atlas.json")


def test_a_backend_that_ends_its_process_is_named() -> None:
    with pytest.raises(AdapterError, match="exits_at_import could not be surveyed"):
        surveyed([str(ADAPTERS / "exits_at_import.py")])
