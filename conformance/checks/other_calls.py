"""Checks that make another call of what a case consists of: what a failure prints as the call is then not the case alone."""

from __future__ import annotations

from collections.abc import Callable

from conformance.checks.registry import CheckFunction

_MADE: dict[CheckFunction, str] = {}


def calls_another(words: str) -> Callable[[CheckFunction], CheckFunction]:
    """Say of a check, in words that stand before the case, which call it makes."""

    def note(function: CheckFunction) -> CheckFunction:
        _MADE[function] = words
        return function

    return note


def other_call_of(function: CheckFunction) -> str:
    """These words of a check; empty where its calls are those of its cases."""
    return _MADE.get(function, "")
