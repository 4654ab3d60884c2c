"""Surveys: what stands apart comes first, and what has changed between two is listed."""

from pathlib import Path

import pytest

from conformance.atlas.entries import SCHEMA, Atlas, Entry, Survey, read_atlas, write_atlas
from conformance.atlas.rows import changes, rows_of
from conformance.atlas.survey import surveyed
from conformance.errors import AdapterError, UsageError
from conformance.runfile.records import BackendLine

ADAPTERS = Path(__file__).parents[2] / "adapters"


def atlas(**found: dict[str, str]) -> Atlas:
    """An atlas of backends, each with what was found where."""
    return Atlas(
        SCHEMA,
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


def test_where_an_engine_differs_by_dtype_every_backend_has_a_row_for_each() -> None:
    def survey_of(name: str, *found: str) -> Survey:
        entries = (Entry("abs/at-0", "E12", f, dtype=d) for f, d in zip(found, ("f8", "f4"), strict=True))
        return Survey(BackendLine(name, name, "1.0"), tuple(entries))

    a, b = survey_of("a", "zero", "zero"), survey_of("b", "zero", "right")
    assert [(r.name, r.is_apart) for r in rows_of(Atlas(SCHEMA, "", (a, a)))] == [("abs/at-0", False)]
    rows = rows_of(Atlas(SCHEMA, "", (a, b)))
    assert [(r.name, r.is_apart) for r in rows] == [("abs/at-0 f4", True), ("abs/at-0 f8", False)]
    assert [set(r.entries) for r in rows] == [{"a", "b"}] * 2


def test_an_atlas_of_another_version_is_refused(tmp_path: Path) -> None:
    (tmp_path / "old.json").write_text('{"schema": 1, "digest": "", "surveys": []}')
    with pytest.raises(UsageError, match="of version 1"):
        read_atlas(tmp_path / "old.json")


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
