"""Hypothesis as a source: the same examples for the same seed, and the smallest one that fails."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from typing import Any, TypeVar

import hypothesis
from hypothesis import HealthCheck, Phase, Verbosity, given, settings
from hypothesis.errors import Flaky
from hypothesis.strategies import SearchStrategy

T = TypeVar("T")


class _Found(Exception):
    """Raised inside Hypothesis to say that an example is of the kind looked for."""


def _visit(
    strategy: SearchStrategy[T],
    visit: Callable[[T], None],
    seed: int,
    examples: int,
    phases: tuple[Phase, ...] = (Phase.generate, Phase.shrink),
) -> None:
    settings_ = settings(
        max_examples=examples,
        deadline=None,
        database=None,
        phases=phases,
        suppress_health_check=list(HealthCheck),
        print_blob=False,
        report_multiple_bugs=False,
        verbosity=Verbosity.quiet,
    )
    hypothesis.seed(seed)(settings_(given(strategy)(visit)))()


def draw(
    strategy: SearchStrategy[T],
    *,
    seed: int,
    examples: int = 3,
    is_enough: Callable[[T], bool] = lambda example: False,
) -> list[T]:
    """The examples Hypothesis draws for this seed, up to the first that is enough."""
    drawn: list[T] = []

    def visit(example: T) -> None:
        drawn.append(example)
        if is_enough(example):
            raise _Found

    with contextlib.suppress(_Found):
        _visit(strategy, visit, seed, examples, (Phase.generate,))
    return drawn


def shrink(
    strategy: SearchStrategy[T],
    is_failing: Callable[[T], bool],
    *,
    seed: int,
    examples: int,
    patience: float = 5.0,
) -> T | None:
    """The smallest example for which `is_failing`; None if none is found.

    After `patience` seconds it settles for the smallest found so far.
    """
    smallest: list[Any] = []
    until = time.monotonic() + patience

    def visit(example: T) -> None:
        if time.monotonic() < until and is_failing(example):
            smallest[:] = [example]
            raise _Found

    with contextlib.suppress(_Found, Flaky):
        _visit(strategy, visit, seed, examples)
    return smallest[0] if smallest else None
