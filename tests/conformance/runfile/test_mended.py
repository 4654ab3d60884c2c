"""Taking out of the file of known failures what passes now: of the rest no letter changes."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.runfile.known_file import read_known
from conformance.runfile.listing import NOTHING_LISTED
from conformance.runfile.mended import Mended, take_out_mended
from conformance.runfile.records import BackendLine, ResultLine, Verdict

FILE = """\
# What is known of mine.

# ---- sums ----

[[known]]
id = [
    "mine/op/sum/vjp/float64",  # seen first
    "mine/op/sum/vjp/float32",
    "mine/op/sum/forward/*",
]
reason = "the gradient of a sum is a mean"
# of all axes alone

[[known]]
id = "mine/op/tanh/vjp/float64"
reason = "a table is read"

# ---- writes ----

[[known]]
id = ["mine/contract/D7/every-op", "mine/contract/D7/forward"]
reason = "writes are not recorded"

[[known]]
id = "mine/op/exp/vjp/float64"
reason = "an old release overflows"
versions = "<2"
"""


def result(identifier: str, verdict: Verdict) -> ResultLine:
    backend, kind, subject, check, *dtype = identifier.split("/")
    return ResultLine(
        identifier, backend, kind, subject, check, "E1", "must", dtype[0] if dtype else "", verdict, 1, 0.0
    )


def mended(path: Path, *fixed: str, others: tuple[str, ...] = ()) -> Mended:
    results = [result(i, Verdict.FIXED) for i in fixed] + [result(i, Verdict.KNOWN) for i in others]
    return take_out_mended(path, results, [BackendLine("mine", "mine", "2.1")])


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "known.toml"
    path.write_text(FILE, encoding="utf-8")
    return path


def test_an_id_is_taken_out_of_its_list_and_the_others_stay_as_they_are_written(path: Path) -> None:
    assert mended(path, "mine/op/sum/vjp/float32") == (("mine/op/sum/vjp/float32",), ())
    assert path.read_text("utf-8") == FILE.replace('    "mine/op/sum/vjp/float32",\n', "")


def test_an_entry_goes_with_its_last_id_and_a_heading_after_it_stays(path: Path) -> None:
    assert mended(path, "mine/op/tanh/vjp/float64").entries == ("a table is read",)
    entry = '[[known]]\nid = "mine/op/tanh/vjp/float64"\nreason = "a table is read"\n\n'
    assert path.read_text("utf-8") == FILE.replace(entry, "")
    both = mended(path, "mine/contract/D7/every-op", "mine/contract/D7/forward")
    assert both.entries == ("writes are not recorded",)
    assert [e.reason for e in read_known(path)] == [
        "the gradient of a sum is a mean",
        "an old release overflows",
    ]
    assert "# ---- writes ----" in path.read_text("utf-8")


def test_a_pattern_and_what_is_about_another_release_and_what_still_fails_stay(path: Path) -> None:
    kept = "mine/op/sum/forward/float64", "mine/op/exp/vjp/float64"
    assert mended(path, *kept, others=("mine/op/tanh/vjp/float64",)) == ((), ())
    assert path.read_text("utf-8") == FILE


def test_a_file_of_one_entry_says_afterwards_that_nothing_is_known(path: Path) -> None:
    path.write_text('\ufeff[[known]]\r\nid = "mine/op/tanh/vjp/float64"\r\nreason = "r"\r\n', newline="")
    mended(path, "mine/op/tanh/vjp/float64")
    assert path.read_bytes() == b"\xef\xbb\xbf" + NOTHING_LISTED.replace("\n", "\r\n").encode()
    assert not read_known(path)


def test_entries_in_one_pair_of_brackets_and_a_text_that_looks_like_an_entry_are_understood(
    path: Path,
) -> None:
    path.write_text(
        'known = [{id = "mine/op/tanh/vjp/float64", reason = "r"}, {id = "mine/op/b/vjp/float64", reason = "s"}]'
    )
    mended(path, "mine/op/tanh/vjp/float64")
    assert [entry.reason for entry in read_known(path)] == ["s"]
    path.write_text(FILE.replace('"writes are not recorded"', '"""writes\n[[known]]\nare not recorded"""'))
    mended(path, "mine/op/tanh/vjp/float64")
    assert [len(entry.ids) for entry in read_known(path)] == [3, 2, 1]
