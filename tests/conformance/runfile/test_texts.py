"""Engines' words on a terminal: they command nothing."""

from __future__ import annotations

import msgspec
import pytest

from conformance.questions import items_of
from conformance.run.failure_text import failure_text
from conformance.run.workers.deaths import lost
from conformance.runfile.texts import LONGEST_LINE, without_commands

COMMANDS = {
    "::set-output name=a::b": "| ::set-output name=a::b",
    "it failed\n::stop-commands::x\nand more": "it failed\n| ::stop-commands::x\nand more",
    "it failed\n  \t ::add-mask::x": "it failed\n  \t | ::add-mask::x",
    "\n\n::x": "\n\n| ::x",
    "it failed, see ##[add-mask]x": "it failed, see ## [add-mask]x",
}
PLAIN = ("", "\n", "it failed at a.cpp::f\n  at std::vector", "x ::error::y", "a: :b\n:c", "\n" * 20_000)


@pytest.mark.parametrize("text", COMMANDS)
def test_a_line_that_github_would_obey_is_marked(text: str) -> None:
    assert without_commands(text) == COMMANDS[text]
    assert without_commands(COMMANDS[text]) == COMMANDS[text]


@pytest.mark.parametrize("text", PLAIN)
def test_every_other_text_stays_as_it_is(text: str) -> None:
    assert without_commands(text) == text


@pytest.mark.parametrize("text", COMMANDS)
def test_a_failure_is_printed_without_commands_and_kept_with_them(text: str) -> None:
    item = next(iter(items_of("mine", ("float64",))))
    result = lost(item, message=f"ValueError: {text}")
    printed = failure_text(result, None)
    assert not any(line.strip().startswith("::") for line in printed.splitlines())
    assert "##[" not in printed
    assert msgspec.json.encode(result).decode().count("::") == text.count("::")


def test_a_long_line_is_cut_on_a_terminal_and_the_command_below_it_is_not() -> None:
    item = next(iter(items_of("mine", ("float64",))))
    result = lost(item, message=f"{'C' * 10_000}: {'x' * 10_000}\nand more")
    assert result.evidence is not None
    evidence = msgspec.structs.replace(result.evidence, token="c1:" + "y" * 5000)
    result = msgspec.structs.replace(result, evidence=evidence)
    *said, again = failure_text(result, None).splitlines()
    assert max(map(len, said)) <= LONGEST_LINE + 40
    assert "and more" in said
    assert "y" * 5000 in again
