"""What `smoke` prints to be declared, as it stands in a class."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from conformance.cli.pages.smoke_ops import lacking_of, written
from conformance.run.smoke import FIRST

if TYPE_CHECKING:
    from conformance.backend import Backend
    from conformance.run.mapped.findings import MappedOp


def to_declare(
    backend: Backend, mapped: Sequence[MappedOp], *, conventions: Mapping[str, str]
) -> dict[str, Mapping[str, Any]]:
    """The declarations that the adapter does not have yet."""
    without: dict[str, frozenset[str]] = {}
    for op in mapped:
        if op.ungradable:
            without[op.ungradable_in] = without.get(op.ungradable_in, frozenset()) | {op.op}
    entries: dict[str, Mapping[str, Any]] = {
        "conventions": to_paste(backend, conventions),
        "lacks": {op.op: lacking for op in mapped if (lacking := lacking_of(op))},
        "no_gradient": without,
    }
    return {name: entry for name, entry in entries.items() if entry and _is_new(backend, name, entry)}


def first_to_name(not_asked: Mapping[str, str]) -> list[str]:
    """A line for each op that claims are made of, and that the adapter does not name."""
    ops = dict.fromkeys(why for why in not_asked.values() if why.startswith(FIRST))
    lines = []
    for why in ops:
        claims = [claim for claim, reason in not_asked.items() if reason == why]
        what = "this claim is" if len(claims) == 1 else f"these {len(claims)} claims are"
        lines.append(f"name `{why.removeprefix(FIRST)}` first: {what} made of it: {'; '.join(claims)}")
    return lines


def to_paste(backend: Backend, found: Mapping[str, str]) -> dict[str, str]:
    """What was found, with what is declared of single ops: a sample of the ops is measured, and all is pasted."""
    clauses = list(dict.fromkeys(key.partition("/")[0] for key in found))
    declared = {k: v for k, v in backend.conventions.items() if "/" in k and k.partition("/")[0] in clauses}
    entries = {**found, **{k: v for k, v in declared.items() if k not in found}}
    return dict(sorted(entries.items(), key=lambda entry: clauses.index(entry[0].partition("/")[0])))


def as_written(entries: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, str]]:
    """The declarations, each value as Python writes it."""
    return {name: {key: written(value) for key, value in entry.items()} for name, entry in entries.items()}


def _is_new(backend: Backend, name: str, entry: Mapping[str, Any]) -> bool:
    declared = getattr(backend, name)
    return any(
        not (_has(declared.get(key), value) or _has(declared.get("*"), value)) for key, value in entry.items()
    )


def _has(declared: Any, value: Any) -> bool:
    """Whether what is declared says the same, or names all ops that were found and more."""
    if isinstance(value, frozenset) and isinstance(declared, frozenset):
        return value <= declared
    return bool(declared == value)


def print_to_paste(entries: Mapping[str, Mapping[str, Any]]) -> None:
    """Print declarations as they stand in a class."""
    for name, entry in entries.items():
        print(f"\n    {name} = {{")
        for key, value in entry.items():
            print(f'        "{key}": {written(value)},')
        print("    }")
