"""Outcomes: one generated mutant asked at one profile after the other, and a survivor compared with what is right."""

from __future__ import annotations

import importlib
import time
from collections import Counter
from collections.abc import Callable, Sequence

from msgspec.structs import replace

from conformance.backend import Backend
from conformance.ops import ALL_OPS
from conformance.run.plan import PROFILES
from conformance.runfile.generated import GeneratedLine
from conformance.selfcheck.generated.ask import (
    Groups,
    first_catch,
    groups_of_engine,
    groups_of_every_op,
    groups_of_op,
    refusals,
)
from conformance.selfcheck.generated.engine import EngineMutant
from conformance.selfcheck.generated.equivalence import difference, is_idle
from conformance.selfcheck.generated.guarded import GuardedMutant
from conformance.selfcheck.generated.mutants import GeneratedMutant, found
from conformance.selfcheck.generated.rules import RuleMutant
from conformance.selfcheck.generated.subject import subject

Made = tuple[Callable[[], Backend], Groups]  # makes a fresh engine; what it is asked


def judge(
    name: str, beat: Callable[[], None] = lambda: None, *, profiles: Sequence[str], seed: int
) -> GeneratedLine:
    """The mutant of that name, asked until something catches it; every profile meets a fresh engine.

    `beat` is called before each question.
    """
    started = time.perf_counter()
    mutant = found(name, seed)
    said = line_of(mutant)
    for profile in profiles:
        said = replace(said, asked=(*said.asked, profile))
        try:
            backend = mutant.backend()
        except Exception:  # it cannot even be imported
            said = replace(said, profile=profile, killer="import", verdict="error")
            break
        if caught := first_catch(backend, _groups(mutant, backend), seed, PROFILES[profile], beat):
            said = replace(said, profile=profile, killer=caught.item, verdict=caught.how)
            break
    return replace(said, seconds=round(time.perf_counter() - started, 3))


def line_of(mutant: GeneratedMutant) -> GeneratedLine:
    """A mutant that was asked nothing yet."""
    return GeneratedLine(mutant.name, mutant.name.partition("/")[0], mutant.subject, mutant.how, mutant.wrong)


def _groups(mutant: GeneratedMutant, backend: Backend) -> Groups:
    if isinstance(mutant, RuleMutant):
        return groups_of_op(mutant.subject, backend.dtypes)
    if isinstance(mutant, GuardedMutant):
        return (*groups_of_op(mutant.subject, backend.dtypes), *groups_of_every_op(backend.dtypes))
    return groups_of_engine(backend.dtypes)


def compare(name: str, beat: Callable[[], None] = lambda: None, *, profile: str, seed: int) -> GeneratedLine:
    """The survivor of that name at a profile, with what it differs in, or why it stands apart."""
    mutant = found(name, seed)
    said = line_of(mutant)
    if isinstance(mutant, RuleMutant):
        engines = subject().backend(), mutant.backend()
        shows = difference(ALL_OPS[mutant.op], mutant.rule(), engines)
        return replace(said, shows=shows, apart="" if shows else "no call tells it from the true rule")
    if isinstance(mutant, EngineMutant):
        apart = mutant.unreachable or subject().equivalent.get(mutant.wrong, "")
        return replace(said, apart=apart or _refuses_more(mutant, profile, seed, beat))
    if isinstance(mutant, GuardedMutant) and is_idle(mutant):
        return replace(said, apart="it changes nothing where its condition holds")
    return replace(said, shows=mutant.how)


def _refuses_more(mutant: EngineMutant, profile: str, seed: int, beat: Callable[[], None]) -> str:
    """Where a survivor refuses what the engine answers and a clause lets it refuse; empty where it refuses nothing more.

    Such an engine keeps to the standard: nothing can be found wrong with it.
    """
    backend = mutant.backend()
    own = refusals(backend, _groups(mutant, backend), seed, PROFILES[profile], beat)
    right = _refusals_of_the_subject(profile, seed, beat)
    more = [item for item, times in own.items() if times > right[item]]
    return f"it refuses what it may refuse, in {more[0]}" if more else ""


_REFUSALS: dict[tuple[str, int], Counter[str]] = {}


def _refusals_of_the_subject(profile: str, seed: int, beat: Callable[[], None]) -> Counter[str]:
    """What the engine as it is, by the adapter that its mutants have, refuses of all that they are asked; counted once in a process."""
    if (profile, seed) not in _REFUSALS:
        module, _, adapter = subject().adapter.partition(":")
        backend = getattr(importlib.import_module(module), adapter)()
        groups = groups_of_engine(backend.dtypes)
        _REFUSALS[profile, seed] = refusals(backend, groups, seed, PROFILES[profile], beat)
    return _REFUSALS[profile, seed]
