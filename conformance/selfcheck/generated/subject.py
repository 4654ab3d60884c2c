"""The subject: the engine that is changed, which an installed distribution registers.

The core knows no engine, so it finds the reference engine by the entry points of the group `conformance.generated`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cache
from typing import Any, Protocol

from conformance.backend import Backend
from conformance.errors import AdapterError
from conformance.importing import entry_points

GROUP = "conformance.generated"
Rule = Callable[..., Any]


class Subject(Protocol):
    """An engine that interprets the rows of the catalogue, open to changes."""

    @property
    def modules(self) -> Sequence[str]:
        """The modules of its source, which may be imported again, changed."""

    @property
    def adapter(self) -> str:
        """Its adapter, as `module:Name`, which imports these modules."""

    @property
    def equivalent(self) -> Mapping[str, str]:
        """The errors in its source that change nothing, each with the reason why; found by reading."""

    def backend(self) -> Backend:
        """The engine as it is."""

    def with_rules(self, rules: Mapping[str, Rule]) -> Backend:
        """A fresh engine in which some ops have another rule."""

    def with_altered(self, op: str, altered: Callable[[int, Any, Any], Any]) -> Backend:
        """A fresh engine in which the gradients of one op are `altered(index, right, facts)`, with facts as in `guards`."""

    @property
    def faults(self) -> Mapping[str, str]:
        """What can be wrong with its bookkeeping, by name: a sentence of which a condition is the end."""

    @property
    def faults_of_leaves(self) -> Collection[str]:
        """Those that are about a leaf, behind which there is no graph."""

    @property
    def faults_of_scopes(self) -> Collection[str]:
        """Those that are about no array."""

    def with_fault(self, fault: str, holds: Callable[[Any], bool]) -> Backend:
        """A fresh engine with one of `faults`, where `holds(event)`, with events as in `bookkeeping`."""


@cache
def subject() -> Subject:
    """The registered subject; AdapterError where there is none, or more than one."""
    points = list(entry_points(group=GROUP))
    if len(points) != 1:
        raise AdapterError(f"{len(points)} subjects are registered in {GROUP}; there must be one")
    found: Subject = points[0].load()
    return found
