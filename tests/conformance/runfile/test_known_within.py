"""Known failures that are inaccuracies: a larger error of the same question is news."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from conformance.cli import main
from conformance.errors import UsageError
from conformance.runfile.known import KnownFailure, judge, stale
from conformance.runfile.known_file import read_known
from conformance.runfile.listing import write_known
from conformance.runfile.records import Evidence, ResultLine, Verdict
from conformance.runfile.relative_error import difference

from .test_known import TODAY, known, result, result_by, slope

SAYS = "the gradient of operand * differs from the reference VJP"
LISTED = known("*", says=SAYS, within=1e-6)


def failing(got: Any, expected: Any = (1.0, 2.0), **more: Any) -> ResultLine:
    evidence = Evidence("m", expected=expected, got=got, **{"token": "c1:x", **more})
    return msgspec.structs.replace(result(Verdict.FAIL), evidence=evidence)


def off_by(error: float) -> Any:
    """A rule of tanh that is that much too large."""
    return lambda g, x: g * slope(x) * (1 + error)


@pytest.mark.parametrize(
    ("got", "verdict"),
    [
        ([1.0, 2.2], Verdict.KNOWN),
        ([1.2, 2.0], Verdict.KNOWN),
        ([1.0, 2.6], Verdict.FAIL),
        (["nan", 2.0], Verdict.FAIL),
        (["inf", 2.0], Verdict.FAIL),
        ([[1.0, 2.2]], Verdict.FAIL),
        ([1.0], Verdict.FAIL),
        (None, Verdict.FAIL),
    ],
)
def test_a_larger_error_than_its_entry_explains_is_a_failure(got: Any, verdict: Verdict) -> None:
    assert judge(failing(got), known("*", within=0.15), TODAY).verdict is verdict
    assert judge(failing(got), known("*"), TODAY).verdict is Verdict.KNOWN


@pytest.mark.parametrize("verdict", [Verdict.ERROR, Verdict.CRASH, Verdict.TIMEOUT, Verdict.FAIL])
def test_a_failure_without_numbers_is_no_inaccuracy(verdict: Verdict) -> None:
    assert judge(result(verdict), known("*", within=0.15), TODAY).verdict is verdict


def test_of_numbers_that_could_not_be_written_down_nothing_is_known() -> None:
    assert judge(failing(None, None, token=""), known("*", within=0.15), TODAY).verdict is Verdict.KNOWN


@pytest.mark.parametrize(
    ("got", "verdict"),
    [
        (["nan", 2.0], Verdict.KNOWN),
        (["nan", "nan"], Verdict.KNOWN),
        (["nan", 2.2], Verdict.FAIL),
        (["nan", 2.05], Verdict.KNOWN),
        (["inf", 2.0], Verdict.FAIL),
        ([1.0, 2.2], Verdict.FAIL),
        (["nan"], Verdict.FAIL),
        (None, Verdict.FAIL),
    ],
)
def test_an_entry_about_nan_does_not_explain_a_wrong_number(got: Any, verdict: Verdict) -> None:
    off = failing(got, allowed=[0.1, 0.1])
    assert judge(off, known("*", within="nan"), TODAY).verdict is verdict


def test_an_entry_that_may_be_anything_does_not_count() -> None:
    off = failing([1.0, "nan"], allowed=[0.01, "inf"])
    assert judge(off, known("*", within=0.15), TODAY).verdict is Verdict.FAIL  # no number is off
    near = failing([1.1, "nan"], allowed=[0.01, "inf"])
    assert judge(near, known("*", within=0.15), TODAY).verdict is Verdict.KNOWN


@pytest.mark.parametrize(
    ("within", "said"),
    [
        ("0", "such as 1e-6, or 'nan', 'zero' or 'inf', not 0.0"),
        ("-1e-6", "such as 1e-6, or 'nan', 'zero' or 'inf', not -1e-06"),
        ("nan", "such as 1e-6, or 'nan', 'zero' or 'inf', not nan"),
        ("inf", "such as 1e-6, or 'nan', 'zero' or 'inf', not inf"),
        ('"1e-6"', "within = '1e-6' is none; it is a number, or one of 'nan', 'zero', 'inf'"),
        ("true", "Expected `float | str | array | null`, got `bool`"),
        ('["nan", -1.0]', "such as 1e-6, or 'nan', 'zero' or 'inf', not -1.0"),
    ],
)
def test_an_error_that_is_none_is_refused(within: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "known.toml").write_text(f'[[known]]\nid = "*"\nreason = "r"\nwithin = {within}\n')
    with pytest.raises(UsageError, match="is not a known-failures file") as failure:
        read_known(tmp_path / "known.toml")
    assert said in str(failure.value)


def test_a_whole_number_is_an_error_too(tmp_path: Path) -> None:
    (tmp_path / "known.toml").write_text('[[known]]\nid = "*"\nreason = "r"\nwithin = 1\n')
    assert read_known(tmp_path / "known.toml")[0].within == 1


# ---- in a run --------------------------------------------------------------------------------------------


def test_an_inaccurate_rule_is_known_and_a_wrong_one_is_news() -> None:
    assert judge(result_by(off_by(3e-8), LISTED), LISTED, TODAY).verdict is Verdict.KNOWN
    for wrong in (1.0, -2.0, 1e-4, np.nan, np.inf):
        assert judge(result_by(off_by(wrong), LISTED), LISTED, TODAY).verdict is Verdict.FAIL, wrong


def test_a_wrong_number_behind_an_inaccurate_one_is_news_and_is_not_made_small_into_it() -> None:
    found = result_by(lambda g, x: off_by(1.0 if np.ndim(x) > 1 else 3e-8)(g, x), LISTED)
    assert judge(found, LISTED, TODAY).verdict is Verdict.FAIL
    assert found.evidence is not None
    assert np.ndim(found.evidence.got) > 1


def test_an_entry_of_an_error_alone_is_looked_behind() -> None:
    def rule(g: Any, x: Any) -> Any:
        if np.ndim(x) > 1:
            raise ValueError("no matrices")
        return off_by(3e-8)(g, x)

    entries = known("*", within=1e-6)
    found = judge(result_by(rule, entries), entries, TODAY)
    assert found.verdict is Verdict.ERROR


# ---- in the file -----------------------------------------------------------------------------------------


def test_update_keeps_the_field_and_adds_what_it_does_not_explain(tmp_path: Path) -> None:
    path = tmp_path / "known.toml"
    path.write_text('[[known]]\nid = "numpy/op/tanh/vjp/float64"\nreason = "r"\nsays = "m"\nwithin = 0.15\n')
    assert write_known(path, [failing([1.0, 2.2])], "") == 0
    assert write_known(path, [failing([1.0, 2.6])], "new") == 1
    assert [(entry.reason, entry.within) for entry in read_known(path)] == [("r", 0.15), ("new", None)]
    assert write_known(path, [failing([1.0, 2.6])], "") == 0


def test_update_adds_a_failure_in_other_calls_than_those_of_an_entry(tmp_path: Path) -> None:
    path = tmp_path / "known.toml"
    path.write_text(
        '[[known]]\nid = "numpy/op/tanh/vjp/float64"\nreason = "r"\nsays = "m"\ncalls = "* a *"\n'
    )
    assert write_known(path, [failing([1.0], call="tanh a ()")], "") == 0
    assert write_known(path, [failing([1.0], call="tanh b ()")], "new") == 1
    assert [(entry.reason, entry.calls) for entry in read_known(path)] == [("r", "* a *"), ("new", ())]


@pytest.mark.costly
def test_an_entry_is_stale_where_nothing_fails_any_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert not stale(LISTED, [judge(result_by(off_by(3e-8), LISTED), LISTED, TODAY)])
    assert stale(LISTED, [result_by(off_by(0), LISTED)]) == LISTED
    monkeypatch.chdir(tmp_path)
    Path("known.toml").write_text(
        '[[known]]\nid = "numpy/op/tanh/*"\nreason = "r"\nsays = "x"\nwithin = 1e-6\n'
    )
    assert main(["run", "numpy", "-q", "op/tanh/vjp/float64", "-o", "run.jsonl", "-n", "0"]) == 0
    capsys.readouterr()
    assert main(["known", "check", "run.jsonl", "--known", "known.toml", "--json"]) == 10
    assert json.loads(capsys.readouterr().out)["stale"][0]["within"] == 1e-6


@pytest.mark.parametrize(
    ("within", "got", "is_known"),
    [
        ("zero", [0.0, 2.0], True),
        ("zero", [0.0, 2.5], False),
        ("zero", [float("nan"), 2.0], False),
        (("zero", "nan"), [0.0, 2.0], True),
        (("zero", "nan"), [float("nan"), 2.0], True),
        (("zero", 0.1), [1.1, 2.0], True),
        (("zero", 0.1), [1.5, 2.0], False),
    ],
)
def test_what_stands_in_place_of_numbers_may_be_zero_or_one_of_several(
    within: Any, got: list[float], is_known: bool
) -> None:
    entry = KnownFailure("*", "because", within=within)
    assert entry.explains("mine/op/a/vjp/float64", "m", None, difference([1.0, 2.0], got)) is is_known
