"""smoke: is the adapter right: its arrays and calls, its ops one by one, and what it must declare."""

from __future__ import annotations

import argparse
import math
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from conformance.cli.console import add_json_flag

if TYPE_CHECKING:
    from conformance.atlas.conventions import MeasuredConvention
    from conformance.backend import Backend
    from conformance.run.mapping import Finding, MappedOp
    from conformance.runfile.known import KnownFailure


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What `smoke` takes."""
    parser.add_argument("backend", metavar="BACKEND", help="an entry point's name, module:Name, or file.py")
    parser.add_argument(
        "--conventions",
        action="store_true",
        help="only what the engine does where engines differ, to be pasted",
    )
    parser.add_argument("-q", "--op", metavar="OP", action="append", default=[], help="try only these ops")
    parser.add_argument(
        "--known",
        type=Path,
        metavar="F",
        help="the known failures: a value that is wrong there is the engine's",
    )
    add_json_flag(parser)


def command(options: argparse.Namespace) -> int:
    """Check, print a line each with a hint where it fails, and return 11 if the adapter must be corrected."""
    from conformance.cli.console import print_json
    from conformance.errors import AdapterError
    from conformance.load import load_backend
    from conformance.ops import find
    from conformance.run.declarations import hold_declarations
    from conformance.runfile.known import in_force, read_known

    names = [find(name).name for name in options.op]
    backend = load_backend(options.backend)
    if not options.conventions:
        hold_declarations(backend)
    known = read_known(options.known) if options.known else ()
    known = in_force(known, {backend.name: str(backend.version())})
    found = _smoke(backend, options.backend, names, known, is_brief=options.conventions)
    if options.as_json:
        print_json(found)
    return 0 if found.is_right else AdapterError.exit_code


@dataclass
class Found:
    """What was found: claims with what contradicts them, the ops, and what is to be declared, as Python writes it."""

    claims: dict[str, str] = field(default_factory=dict)
    ops: list[MappedOp] = field(default_factory=list)
    declare: dict[str, dict[str, str]] = field(default_factory=dict)
    is_right: bool = True


def _smoke(
    backend: Backend, spec: str, names: Sequence[str], known: Sequence[KnownFailure], *, is_brief: bool
) -> Found:
    """Check and print; with `is_brief` only the conventions."""
    from conformance.run.smoke import reason_known

    if is_brief:
        entries = {"conventions": _conventions(backend, spec)}
        _paste(entries)
        return Found(declare=_as_written(entries))
    found = Found()
    can_go_on = _questions(backend, found)
    if not can_go_on:
        print("\ncorrect this first: nothing else can be tried")
        return found
    found.ops = mapped = _ops(backend, spec, names, known)
    declarations = _to_declare(backend, mapped, conventions={} if names else _conventions(backend, spec))
    found.declare = _as_written(declarations)
    _paste(declarations)
    failed, slips = (
        sum(map(bool, found.claims.values())),
        sum(bool(op.slips) and not reason_known(op, backend, known) for op in mapped),
    )
    found.is_right = not (failed or slips)
    if not found.is_right:
        print(f"\ncorrect the adapter first: {failed} claims, {slips} ops")
    return found


def _to_declare(
    backend: Backend, mapped: Sequence[MappedOp], *, conventions: Mapping[str, str]
) -> dict[str, Mapping[str, Any]]:
    """The declarations that the adapter does not have yet."""
    without = [op.op for op in mapped if op.ungradable]
    entries: dict[str, Mapping[str, Any]] = {
        "conventions": conventions,
        "lacks": {op.op: lacking for op in mapped if (lacking := _lacking(op))},
        "no_gradient": {"*": frozenset(without)} if without else {},
    }
    return {name: entry for name, entry in entries.items() if entry and _is_new(backend, name, entry)}


def _as_written(entries: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, str]]:
    return {name: {key: _written(value) for key, value in entry.items()} for name, entry in entries.items()}


def _is_new(backend: Backend, name: str, entry: Mapping[str, Any]) -> bool:
    declared = getattr(backend, name)
    return any(not _has(declared.get(key), value) for key, value in entry.items())


def _has(declared: Any, value: Any) -> bool:
    """Whether what is declared says the same, or names all ops that were found and more."""
    if isinstance(value, frozenset) and isinstance(declared, frozenset):
        return value <= declared
    return bool(declared == value)


# ---- claims about arrays and calls ------------------------------------------------------------------


def _questions(backend: Backend, found: Found) -> bool:
    """Try the claims, and note what contradicts them; returns whether anything else can be tried."""
    from conformance.run.smoke import questions, try_question

    can_go_on = True
    for question in questions(backend):
        answer = found.claims[question.claim] = try_question(question, backend)
        print(f"  {'BAD ' if answer else 'ok  '}  {question.claim}")
        if answer:
            found.is_right = False
            can_go_on &= not question.is_basic
            print(f"          {answer}\n          hint: {question.hint}")
    right = sum(not answer for answer in found.claims.values())
    who = f"{backend.name} ({backend.engine} {backend.version()})"
    print(f"{right} of {len(found.claims)} hold for {who}")
    return can_go_on


# ---- ops --------------------------------------------------------------------------------------------


def _ops(backend: Backend, spec: str, names: Sequence[str], known: Sequence[KnownFailure]) -> list[MappedOp]:
    """Try the ops, and print those of which there is something to say."""
    from conformance.run.mapping_process import try_ops
    from conformance.run.smoke import real_dtype, reason_known

    dtype, mapped = real_dtype(backend), []
    print(f"\nthe ops, each called in several forms in {dtype}:", flush=True)
    for op in try_ops(backend, spec, dtype, names, _progress):
        _erase_progress()
        for line in _lines(op, reason_known(op, backend, known)):
            print(line, flush=True)
        mapped.append(op)
    right = [op for op in mapped if not (op.slips or op.refused or op.ungradable or op.suspect)]
    part = sum(bool(op.not_offered) for op in right)
    but = f", {part} of them not in every call" if part else ""
    print(f"  {len(right)} of {len(mapped)} are what the catalogue means, with their gradients{but}")
    return mapped


def _progress(doing: str) -> None:
    if sys.stderr.isatty():
        print(f"\r\x1b[K  {doing[:90]}", end="", file=sys.stderr, flush=True)


def _erase_progress() -> None:
    if sys.stderr.isatty():
        print("\r\x1b[K", end="", file=sys.stderr, flush=True)


def _lines(op: MappedOp, reason: str = "") -> Iterator[str]:
    """What is to be said of an op: slips of the mapping first, then what is the engine's, such as what is known."""
    from conformance.run.lacking import is_explained

    if reason:
        yield f"  KNOWN {op.op}: in {len(op.slips)} of {op.calls} calls: {reason}"
    elif op.slips:
        is_raised = bool(op.slips[0].place)
        claim = "fails in the adapter" if is_raised else "is not the op that the catalogue means"
        yield from _said("BAD ", op, op.slips, claim)
        yield f"          conformance explain {op.op}    defines it, with a call for each parameter"
    lacking = _lacking(op)
    refused = [f for f in op.refused if not is_explained(f.signature, lacking)]
    for name, values in lacking.items():
        shown = ", ".join(_written(value) for value in values)
        of_these = [_message(f) for f in op.refused if is_explained(f.signature, {name: values})]
        (said, _), *_ = Counter(of_these).most_common(1)
        yield f"  LACK  {op.op}: the engine refuses {name} = {shown}: {said}"
    if refused:
        yield from _said("REF ", op, refused, "is refused by the engine, unless it is called wrongly")
    if op.ungradable:
        yield f"  GRAD  {op.op}: no gradient: {_message(op.ungradable)}"
    if op.suspect:
        yield from _said("ENG ", op, op.suspect, "has the right value; its gradient is the engine's")
    for reason in dict.fromkeys(finding.message for finding in op.not_offered):
        count = sum(finding.message == reason for finding in op.not_offered)
        yield f"  not   {op.op}: {count} of {op.calls} calls are not offered: {reason}"


def _lacking(op: MappedOp) -> Mapping[str, tuple[Any, ...]]:
    """The parameter values that are refused; none where every call is, since then nothing shows that they are why."""
    return op.lacking if len(op.refused) < op.calls else {}


def _said(mark: str, op: MappedOp, findings: Sequence[Finding], what: str) -> Iterator[str]:
    first = findings[0]
    yield f"  {mark}  {op.op} {what}, in {len(findings)} of {op.calls} calls"
    yield f"          {first.call}: {_message(first)}"
    if first.explanation:
        yield f"          {first.explanation}"


def _message(finding: Finding) -> str:
    return finding.message + (f"  at {finding.place}" if finding.place else "")


# ---- what to declare --------------------------------------------------------------------------------


def _conventions(backend: Backend, spec: str) -> dict[str, str]:
    """Say for each clause in which engines differ what this one does; returns what to declare."""
    from conformance.atlas.conventions_process import try_conventions

    print("\nwhere engines may differ, this one:", flush=True)
    entries: dict[str, str] = {}
    for convention in try_conventions(backend, spec, _progress):
        _erase_progress()
        mark = "not " if convention.reason else "ok  " if convention.is_settled else "SAY "
        print(f"  {mark}  {_line(convention)}", flush=True)
        for choice, failure in {} if convention.found else convention.failures.items():
            print(f"              not {choice!r}: {failure}")
        entries |= convention.entries
    return entries


def _line(convention: MeasuredConvention) -> str:
    clause, declared = convention.clause, convention.declared
    said = f"declared {declared!r}" if declared else "not declared"
    if convention.reason:
        return f"{clause.number:4} is not checked: {convention.reason}"
    if not convention.found:
        return f"{clause.number:4} FAILS: none of {', '.join(clause.conventions)} ({said}): {clause.sentence}"
    if len(convention.found) > 1 and not convention.is_settled:
        either = " or ".join(convention.found)
        return f"{clause.number:4} cannot tell: {either} ({said}); declare what the engine promises: {clause.sentence}"
    but = "".join(f"; {op}: {choice}" for op, choice in convention.exceptions.items())
    if convention.is_settled:
        return f"{clause.number:4} {declared}{but}"
    return f"{clause.number:4} {' or '.join(convention.found)}{but} ({said}): {clause.sentence}"


def _paste(entries: Mapping[str, Mapping[str, Any]]) -> None:
    """Print declarations as they stand in a class."""
    for name, entry in entries.items():
        print(f"\n    {name} = {{")
        for key, value in entry.items():
            print(f'        "{key}": {_written(value)},')
        print("    }")


def _written(value: Any) -> str:
    """A declaration as Python writes it."""
    if isinstance(value, type):
        return value.__name__
    if isinstance(value, Mapping):
        return "{" + ", ".join(f'"{key}": {_written(part)}' for key, part in value.items()) + "}"
    if isinstance(value, frozenset):
        return "frozenset({" + ", ".join(f'"{part}"' for part in sorted(value)) + "})"
    if isinstance(value, tuple):
        return "(" + ", ".join(map(_written, value)) + ("," if len(value) == 1 else "") + ")"
    if isinstance(value, float) and not math.isfinite(value):
        return f'float("{value}")'
    return f'"{value}"' if isinstance(value, str) else repr(value)
