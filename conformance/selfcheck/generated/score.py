"""Scoring: the generated mutants of some kinds judged, and the survivors compared with what is right."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial

from msgspec.structs import replace

from conformance.runfile.generated import GeneratedLine
from conformance.selfcheck.generated.mutants import found
from conformance.selfcheck.generated.outcome import compare, judge, line_of
from conformance.selfcheck.generated.workers import DIES, HANGS, judged

SECONDS, COMPARING = 30.0, 60.0  # of the processor, that a mutant may take for a question, and its comparison


def scored(
    names: Sequence[str],
    profiles: Sequence[str],
    *,
    seed: int = 0,
    workers: int = 1,
    on_progress: Callable[[GeneratedLine], None] = lambda line: None,
) -> Iterator[GeneratedLine]:
    """What came of each mutant: first those that something catches, then the survivors.

    Args:
        names: the mutants; neighbours should be of one op.
        profiles: to ask at, the cheapest first; a mutant that is caught is asked no more.
        seed: of the mutants' draws, and of the questions.
        workers: child processes.
        on_progress: receives each as soon as it was asked.
    """

    def ended(name: str, how: str) -> GeneratedLine:
        """A mutant that hangs, or ends its process, is caught by that; what nobody could ask is not."""
        said = line_of(found(name, seed))
        if how not in (HANGS, DIES):
            return replace(said, asked=tuple(profiles), shows=f"not asked: {how}")
        return replace(said, asked=(profiles[0],), profile=profiles[0], killer="process", verdict=how)

    def undecided(name: str, how: str) -> GeneratedLine:
        return replace(line_of(found(name, seed)), shows=f"undecided: {how}")

    survivors: dict[str, GeneratedLine] = {}
    for line in judged(names, partial(judge, profiles=profiles, seed=seed), ended, workers, SECONDS):
        on_progress(line)
        if line.profile or line.shows:
            yield line
        else:
            survivors[line.name] = line
    for line in judged(
        list(survivors), partial(compare, profile=profiles[-1], seed=seed), undecided, workers, COMPARING
    ):
        yield replace(survivors[line.name], shows=line.shows, apart=line.apart)
