"""Hypothesis as a source: the same examples for the same seed, and the smallest one that fails."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Generic, TypeVar

import hypothesis
from hypothesis import HealthCheck, Phase, Verbosity, given, settings
from hypothesis.errors import Flaky
from hypothesis.stateful import RuleBasedStateMachine, run_state_machine_as_test
from hypothesis.strategies import SearchStrategy

from conformance.strategies.hypothesis_internals import without_local_constants

T = TypeVar("T")


class _Found(Exception):
    """Raised inside Hypothesis to say that an example is of the kind looked for."""


GENERATING = (Phase.generate,)
SHRINKING = (Phase.generate, Phase.shrink)


def _settings(examples: int, phases: tuple[Phase, ...], steps: int = 50) -> settings:
    return settings(
        max_examples=examples,
        stateful_step_count=steps,
        deadline=None,
        database=None,
        phases=phases,
        suppress_health_check=list(HealthCheck),
        print_blob=False,
        report_multiple_bugs=False,
        verbosity=Verbosity.quiet,
    )


def _visit(
    strategy: SearchStrategy[T],
    visit: Callable[[T], None],
    seed: int,
    examples: int,
    phases: tuple[Phase, ...] = SHRINKING,
) -> None:
    with without_local_constants():
        hypothesis.seed(seed)(_settings(examples, phases)(given(strategy)(visit)))()


def run_machine(
    machine: type[RuleBasedStateMachine],
    *,
    seed: int,
    examples: int,
    steps: int,
    phases: tuple[Phase, ...] = GENERATING,
) -> None:
    """Run a state machine, for this seed, as many times as there are examples."""
    with without_local_constants():
        run_state_machine_as_test(hypothesis.seed(seed)(machine), settings=_settings(examples, phases, steps))


def draw(
    strategy: SearchStrategy[T],
    *,
    seed: int,
    examples: int = 3,
    is_enough: Callable[[T], bool] = lambda example: False,
) -> list[T]:
    """The examples that Hypothesis draws for this seed, up to the first that `is_enough`."""
    drawn: list[T] = []

    def visit(example: T) -> None:
        drawn.append(example)
        if is_enough(example):
            raise _Found

    with contextlib.suppress(_Found):
        _visit(strategy, visit, seed, examples, GENERATING)
    return drawn


def shrink(
    strategy: SearchStrategy[T],
    is_failing: Callable[[T], bool],
    *,
    seed: int,
    examples: int,
) -> T | None:
    """The smallest example for which `is_failing`; None if none is found."""
    smallest = _Smallest(is_failing)
    with contextlib.suppress(_Found, Flaky):
        _visit(strategy, smallest.visit, seed, examples)
    return smallest.found


def shrink_machine(
    machine_for: Callable[[Callable[[T], None]], type[RuleBasedStateMachine]],
    is_failing: Callable[[T], bool],
    *,
    seed: int,
    examples: int,
    steps: int,
) -> T | None:
    """The smallest failing example of those that the state machine of `machine_for(visit)` hands to `visit`."""
    smallest = _Smallest(is_failing)
    machine = machine_for(smallest.visit)
    with contextlib.suppress(_Found, Flaky):
        run_machine(machine, seed=seed, examples=examples, steps=steps, phases=SHRINKING)
    return smallest.found


class _Smallest(Generic[T]):
    """The last failing example that was visited, which is the smallest once Hypothesis is done."""

    def __init__(self, is_failing: Callable[[T], bool]) -> None:
        self.is_failing = is_failing
        self.found: T | None = None

    def visit(self, example: T) -> None:
        """Keep a failing example; raise, so that Hypothesis shrinks it."""
        if self.is_failing(example):
            self.found = example
            raise _Found
