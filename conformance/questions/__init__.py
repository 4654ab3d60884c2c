"""What checks are run on: one module per kind of question, found by importing this package."""

from __future__ import annotations

import pkgutil
from functools import cache
from importlib import import_module
from typing import Any

from conformance.questions.kind import KINDS, Item, Kind, Question, kind_of

__all__ = ["Item", "Kind", "Question", "all_kinds", "items_of", "kind_of", "questions_in"]

from collections.abc import Collection, Iterator, Sequence

from conformance.capability import Capability
from conformance.checks import Check, load_all
from conformance.errors import UsageError


@cache
def all_kinds() -> dict[str, Kind]:
    """The kinds of questions by name; importing their modules registers them."""
    for module in pkgutil.iter_modules(__path__, f"{__name__}."):
        import_module(module.name)
    return KINDS


def items_of(
    backend: str,
    dtypes: Sequence[str],
    only: Collection[str] | None = None,
    by: Collection[str] = (),
    respelled: frozenset[Capability] = frozenset(),
) -> Iterator[Item]:
    """Every question that can be put to a backend with gradients in these dtypes.

    Args:
        backend: its name.
        dtypes: those in which it has gradients.
        only: the ops that questions may be about; None for any, and for what is about no op.
        by: the keys of the checks that may ask; all where there are none.
        respelled: besides those ops, what needs one of these capabilities and is about no op in particular.
    """
    for kind in all_kinds().values():
        checks = [c for c in load_all().values() if c.kind == kind.name and (not by or c.key in by)]
        for item in kind.items(checks, backend, dtypes):
            op = kind.op_of(item)
            if only is None or op in only or (not op and item.definition.needs & respelled):
                yield item


def questions_in(token: str, key: str = "") -> list[tuple[Check, Question[Any]]]:
    """The question that a token holds, with every check it is meant for.

    Args:
        token: as a result records it.
        key: only the check of that key; every check that applies where it is empty.

    Raises UsageError where the token is damaged, or the check does not apply to what it holds.
    """
    readers = [kind for kind in all_kinds().values() if token.startswith(kind.prefix)]
    if not readers:
        prefixes = ", ".join(sorted({f"{kind.prefix}…" for kind in all_kinds().values()}))
        raise UsageError(f"{token[:40]!r} is no replay token: those begin with {prefixes}")
    found = list(readers[0].read(token, key))
    if not found:
        raise UsageError(f"the check {key} does not apply to what this token holds")
    return found
