"""What an entry of known failures hides: whatever may go wrong where it says little, less where it says more."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

import pytest
from conformance_backends.numpy_backend import NumpyTape
from conformance_backends.numpy_engine.tensor import detach

from conformance.cli import main
from conformance.errors import AdapterError
from conformance.run.plan import PROFILES
from conformance.runfile.known import KnownFailure
from conformance.runfile.records import Evidence, ResultLine, Verdict
from conformance.selfcheck.hidden import Found, hidden_apart, hidden_on, some_of_each, within_of
from conformance.selfcheck.wrong_answers import ARRAYS

ID = "numpy/op/tanh/vjp/float64"
DIFFERS = "the gradient of operand 0 differs*"
ALL = {
    "NaN",
    "zero",
    "negated",
    "slightly scaled",
    "of another entry",
}  # and not doubled, which is right here


def halved(x: Any) -> Any:
    """The value of tanh, and half of its gradient."""
    y = NumpyTape.ops["tanh"](x)
    return y * 0.5 + detach(y) * 0.5


class Halved(NumpyTape):
    name = "numpy"
    ops: ClassVar[Mapping[str, Any]] = {**NumpyTape.ops, "tanh": halved}


@pytest.mark.parametrize(
    ("about", "hides"),
    [
        ({}, ALL),
        ({"says": DIFFERS}, ALL),
        ({"says": DIFFERS, "within": 0.51}, {"slightly scaled"}),
        ({"says": DIFFERS, "within": "nan"}, {"NaN"}),
        ({"says": DIFFERS, "calls": "tanh *0,*"}, None),  # of arrays without entries, of which none fails
    ],
)
def test_an_entry_hides_what_it_does_not_exclude(about: dict[str, Any], hides: set[str] | None) -> None:
    entry = KnownFailure(id=ID, reason="half of the gradient", **about)
    found = list(hidden_on(Halved(), [ID], [entry], seed=0, effort=PROFILES["quick"]))
    assert [set(hidden.sorts) for hidden in found] == [hides or set()]
    assert [list(hidden.entries) for hidden in found] == [[] if hides is None else [(ID,)]]


def test_a_case_that_is_not_listed_shows_what_hides_in_the_others() -> None:
    entry = KnownFailure(id=ID, reason="half of the gradient of matrices", says=DIFFERS, calls="tanh (?,?)*")
    (hidden,) = hidden_on(Halved(), [ID], [entry], seed=0, effort=PROFILES["quick"])
    assert hidden.entries
    assert not hidden.sorts


def test_every_sort_of_wrong_answer_is_asked_about() -> None:
    assert set(ARRAYS) == ALL | {"doubled"}


def test_of_each_cause_some_known_failures_are_asked_in_even_steps() -> None:
    def result(
        number: int, reason: str, verdict: Verdict = Verdict.KNOWN, failed_as: str = "fail"
    ) -> ResultLine:
        said = Evidence(message="differs", reason=reason, failed_as=failed_as)
        name = f"numpy/op/a{number}/vjp/float64"
        return ResultLine(
            name, "numpy", "op", f"a{number}", "vjp", "E1", "must", "float64", verdict, 1, 0.0, evidence=said
        )

    many, one = [result(n, "many") for n in range(9)], result(9, "one")
    other = [
        result(10, "many", Verdict.FAIL),
        result(11, "ended", failed_as="crash"),
        result(12, "x", failed_as="timeout"),
    ]
    assert some_of_each([*many, one, *other], 3) == [many[0], many[4], many[8], one]
    assert some_of_each([*many, one, *other], 0) == [*many, one]


@pytest.mark.parametrize(
    ("pairs", "seen"),
    [
        ([([1.0, 4.0], [1.0, 5.0]), ([2.0], [2.1])], (0.25,)),
        ([([1.0, 4.0], ["nan", 4.0])], ("nan",)),
        ([([1.0, 4.0], ["inf", 0.0])], ("zero", "inf")),
        ([([1.0, 4.0], [1.0, 5.0]), ([1.0, 4.0], [1.0, "nan"])], (0.25, "nan")),
        ([([1.0, 4.0], [1.0, 5.0]), ([1.0], None)], ()),
        ([([1.0], None)], ()),
        ([], ()),
    ],
)
def test_what_a_run_shows_of_an_entry_is_what_it_could_be_narrowed_to(
    pairs: list[tuple[list[Any], list[Any] | None]], seen: tuple[float | str, ...]
) -> None:
    def result(expected: list[Any], got: list[Any] | None, reason: str = "off") -> ResultLine:
        said = Evidence("differs", expected=expected, got=got, allowed=0.0, reason=reason)
        about = ("numpy", "op", "tanh", "vjp", "E1", "must", "float64")
        return ResultLine(ID, *about, Verdict.KNOWN, 1, 0.0, evidence=said)

    results = [*(result(*pair) for pair in pairs), result([1.0], [9.0], "of another entry")]
    assert within_of(results, KnownFailure(ID, "off")) == seen


@pytest.mark.costly
def test_a_question_that_ends_the_process_is_named_and_the_others_are_asked(tmp_path: Path) -> None:
    adapter = tmp_path / "ending.py"
    adapter.write_text(
        "import os\nfrom conformance_backends.numpy_backend import NumpyTape\n"
        "from conformance_backends.numpy_engine.tensor import detach\n\n"
        "class Ending(NumpyTape):\n"
        "    name = 'numpy'\n"
        "    ops = {**NumpyTape.ops, 'tanh': lambda x: NumpyTape.ops['tanh'](x) * 0.5 + detach(NumpyTape.ops['tanh'](x)) * 0.5,\n        'sinh': lambda x: os._exit(3)}\n"
    )
    asked = ["numpy/op/sinh/vjp/float64", ID]
    entry = KnownFailure(id="numpy/op/*", reason="half of the gradient")
    sentence, found = hidden_apart(str(adapter), asked, [entry], 0, "quick")
    assert isinstance(sentence, str)
    assert sentence.startswith("numpy/op/sinh/vjp/float64 was not asked: ")
    assert isinstance(found, Found)
    assert (found.id, set(found.sorts)) == (ID, ALL)
    with pytest.raises(AdapterError, match="could not start"):
        list(hidden_apart("no_such_module:Mine", [ID], [entry], 0, "quick"))


@pytest.mark.costly
def test_the_command_lists_entries_and_the_questions_in_which_they_hide(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(
        "from conformance_backends.numpy_backend import NumpyTape\n"
        "from conformance_backends.numpy_engine.tensor import detach\n\n"
        "class Mine(NumpyTape):\n"
        "    ops = {**NumpyTape.ops, 'tanh': lambda x: NumpyTape.ops['tanh'](x) * 0.5 + detach(NumpyTape.ops['tanh'](x)) * 0.5}\n"
    )
    (tmp_path / "known.toml").write_text(
        f'[[known]]\nid = "mine/op/tanh/vjp/*"\nreason = "half"\nsays = "{DIFFERS}"\n'
    )
    run = [
        "run",
        "mine.py",
        "-q",
        "op/tanh/vjp/float64",
        "-n",
        "1",
        "-o",
        "run.jsonl",
        "--known",
        "known.toml",
    ]
    assert main(run) == 0
    capsys.readouterr()
    hides = ["known", "hides", "run.jsonl", "--known", "known.toml"]
    assert main(hides) == 4
    assert "pass --trust" in capsys.readouterr().err
    assert main([*hides, "--trust"]) == 0
    printed = capsys.readouterr().out
    assert "mine/op/tanh/vjp/*\n  hides an answer that is NaN, zero, negated" in printed
    assert "in this run its failures are within = 0.5\n" in printed
    assert "1 of 1 known failures would hide a wrong answer, by 1 entries" in printed
    assert main([*hides, "--trust", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["entries"][0]["seen"] == [pytest.approx(0.5)]
    assert document["asked"] == document["hiding"] == 1
    assert set(document["entries"][0]["hides"]["mine/op/tanh/vjp/float64"]) == ALL
