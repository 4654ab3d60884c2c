"""Looking for the smallest failing question takes a time that does not depend on the engine, and costs no answer."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import pytest

from conformance.strategies import search as module
from conformance.strategies.search import Patience, search

ASKED = "op/tanh/vjp/float64"


def endlessly(is_failing: Any) -> None:
    for number in itertools.count():
        is_failing(number)


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PATIENCE", 0.05)


@pytest.mark.usefixtures("impatient")
def test_a_search_without_end_ends_with_the_smallest_so_far() -> None:
    failure = ValueError("of 3")
    found = search(endlessly, lambda number: failure if number == 3 else None, took=0.0, patience=Patience())
    assert (found.question, found.failure) == (3, failure)
    assert found.unshrunk == "smaller ones were tried for 0.05 s"


@pytest.mark.usefixtures("impatient")
def test_what_takes_long_by_itself_is_left_as_it_is() -> None:
    asked: list[Any] = []
    found = search(endlessly, asked.append, took=7.0, patience=Patience())
    assert not asked
    assert found.question is None
    assert found.unshrunk == "no smaller one was tried, since this one took 7 s"


def test_a_search_that_comes_to_its_end_says_nothing() -> None:
    found = search(
        lambda is_failing: [is_failing(n) for n in range(5)], lambda n: None, took=0.0, patience=Patience()
    )
    assert (found.question, found.unshrunk) == (None, "")


def test_of_a_time_with_an_end_a_quarter_goes_into_smaller_questions(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [0.0]
    monkeypatch.setattr(module.time, "monotonic", lambda: clock[0])
    patience = Patience(has_end=True)

    def endlessly(is_failing: Any) -> None:
        while True:
            clock[0] += 0.1
            is_failing(1)

    clock[0] = 8.0
    assert search(endlessly, lambda n: None, took=0.0, patience=patience).unshrunk == (
        "smaller ones were tried for 2 s"
    )
    assert "25% of the time" in search(endlessly, lambda n: None, took=1.0, patience=patience).unshrunk
    clock[0] += 100
    assert search(endlessly, lambda n: None, took=0.0, patience=patience).unshrunk == (
        "smaller ones were tried for 5 s"
    )


@pytest.mark.costly
def test_what_dies_of_a_smaller_case_has_the_failure_that_was_found(command: Any, adapters: Path) -> None:
    ways = {"Exits": "ended the process", "Hangs": "had no answer in time"}
    specs = [f"{adapters / 'dies_of_smaller.py'}:{name}" for name in ways]
    done = command("run", *specs, "-q", ASKED, "-n", 1, "--timeout", 10)
    assert done.verdicts == dict.fromkeys((f"{name}/{ASKED}" for name in ways), "adapter_error"), done.said
    for name, how in ways.items():
        evidence = done.result(f"{name}/{ASKED}").evidence
        assert evidence.message.startswith("the gradient of operand 0 differs from the reference VJP")
        assert evidence.unshrunk == f"a smaller one, or this one once more, {how}"
        assert evidence.token
    assert (
        "perhaps not the smallest: a smaller one, or this one once more, " in done.said
    )  # once for one cause
