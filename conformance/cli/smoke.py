"""smoke: is the adapter right: its arrays and calls, its ops one by one, and what it must declare."""

from __future__ import annotations

import argparse
import contextlib
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from conformance.cli.console import Doing, add_json_flag

if TYPE_CHECKING:
    from conformance.backend import Backend
    from conformance.run.mapped.findings import MappedOp
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
    from conformance.run.smoke import version_of
    from conformance.runfile.known import in_force
    from conformance.runfile.known_file import read_known
    from conformance.runfile.records import BackendLine

    names = [find(name.removeprefix("op/")).name for name in options.op]  # as `run -q op/tanh` has it
    backend = load_backend(options.backend)
    if not options.conventions:
        hold_declarations(backend)
    known = read_known(options.known) if options.known else ()
    line = BackendLine(backend.name, backend.engine, version_of(backend), repeats=backend.repeats)
    known = in_force(known, [line])
    found = _smoke(backend, options.backend, names, known, is_brief=options.conventions)
    if options.as_json:
        print_json(found)
    return 0 if found.is_right else AdapterError.exit_code


@dataclass
class Found:
    """What was found: claims with what contradicts them, why others could not be asked, which are the engine's, the ops, and what is to be declared, as Python writes it."""

    claims: dict[str, str] = field(default_factory=dict)
    not_asked: dict[str, str] = field(default_factory=dict)
    known: dict[str, str] = field(default_factory=dict)
    ops: list[MappedOp] = field(default_factory=list)
    declare: dict[str, dict[str, str]] = field(default_factory=dict)
    is_right: bool = True


def _smoke(
    backend: Backend, spec: str, names: Sequence[str], known: Sequence[KnownFailure], *, is_brief: bool
) -> Found:
    """Check and print; with `is_brief` only the conventions."""
    from conformance.cli.pages.smoke_declared import as_written, print_to_paste, to_declare
    from conformance.run.mapped.findings import to_correct
    from conformance.run.mapped.known import IF_THE_ENGINES, id_of_claim, reason_known
    from conformance.run.smoke import changed_dtypes

    if is_brief:
        entries = {"conventions": _conventions(backend, spec)}
        print_to_paste(entries)
        return Found(declare=as_written(entries))
    found = Found()
    can_go_on = _questions(backend, found, known)
    if not can_go_on:
        print("\ncorrect this first: nothing else can be tried")
        return found
    found.ops = mapped = _ops(backend, spec, names, known, changed_dtypes(backend, found.claims))
    declarations = to_declare(backend, mapped, conventions={} if names else _conventions(backend, spec))
    found.declare = as_written(declarations)
    print_to_paste(declarations)
    failed = [claim for claim, answer in found.claims.items() if answer and claim not in found.known]
    slips = sum(not reason_known(op, backend, known) for op in to_correct(mapped))
    found.is_right = not (failed or slips)
    if not found.is_right:
        counts = ((len(failed), "claim"), (slips, "op"))
        wrong = [f"{count} {what}{'s' * (count > 1)}" for count, what in counts if count]
        print(f"\ncorrect the adapter first: {', '.join(wrong)}")
        if failed:
            print(f"{IF_THE_ENGINES}: {', '.join(id_of_claim(backend, claim) for claim in failed)}")
    elif not names:
        paste = "paste what is to be declared, then " if found.declare else ""
        print(f"\nnext: {paste}conformance run {spec} --profile quick --budget 5m -o run.jsonl")
    return found


# ---- claims about arrays and calls ------------------------------------------------------------------


def _questions(backend: Backend, found: Found, known: Sequence[KnownFailure]) -> bool:
    """Try the claims, and note what contradicts them; returns whether anything else can be tried."""
    from conformance.cli.console import to_errors
    from conformance.cli.pages.smoke_declared import first_to_name
    from conformance.run.claims.advice import advice_of
    from conformance.run.claims.arrays import kinds_not_taken, not_taken
    from conformance.run.mapped.known import claim_known
    from conformance.run.process.watched import trying
    from conformance.run.smoke import FIRST, FOLLOWS, asked, hint_for, questions, version_of
    from conformance.runfile.texts import in_brief_lines, in_one_line, without_commands

    can_go_on = True
    for question in questions(backend):
        with to_errors():
            trying(question.claim)
            answer, why_not = asked(question, backend)
            trying("")
        if why_not:
            found.not_asked[question.claim] = why_not
            if why_not.startswith(FIRST):
                continue  # said once, of all
            print(
                f"  not   {question.claim}: {without_commands(in_brief_lines(in_one_line(why_not)))}",
                flush=True,
            )
            continue
        found.claims[question.claim] = answer
        reason = claim_known(question.claim, answer, backend, known) if answer else ""
        print(
            f"  {'KNOWN' if reason else 'BAD ' if answer else 'ok  '} {'' if reason else ' '}{question.claim}",
            flush=True,
        )
        if reason and not question.is_basic:
            found.known[question.claim] = reason
            print(without_commands(in_brief_lines(f"          {reason}: {in_one_line(answer)}")))
        elif answer:
            found.is_right = False
            hint = hint_for(question, answer) if can_go_on else FOLLOWS
            said = f"          {in_one_line(answer)}\n          hint: {hint}"
            can_go_on &= not question.is_basic
            print(without_commands(in_brief_lines(said)))
    for line in first_to_name(found.not_asked):
        print(f"  not   {line}")
    with to_errors():
        shapes = {f"shape {shape}": reason for shape, reason in not_taken(backend).items()}
        lacking = {**shapes, **(kinds_not_taken(backend) if can_go_on else {})}
    for kind, reason in lacking.items():
        print(f"  LACK  arrays of {kind}: {in_one_line(reason)}")
    with to_errors(), contextlib.chdir(os.getcwd()):  # an engine may change to another folder
        advice = advice_of(backend) if can_go_on and not backend.is_spelling else []
    for line in advice:
        print(f"  SAY   {line}")
    right = sum(not answer for answer in found.claims.values())
    who = f"{backend.name} ({backend.engine} {version_of(backend)})"
    others = f"; {len(found.not_asked)} could not be asked" if found.not_asked else ""
    print(f"{right} of {len(found.claims)} hold for {who}{others}")
    return can_go_on


# ---- ops --------------------------------------------------------------------------------------------


def _ops(
    backend: Backend, spec: str, names: Sequence[str], known: Sequence[KnownFailure], changed: Sequence[str]
) -> list[MappedOp]:
    """Try the ops, and print what there is to say of them, a block for each cause; nothing of dtypes that arrays do not keep."""
    from conformance.cli.pages.smoke_ops import blocks, remarks
    from conformance.run.claims.capabilities import real_dtype
    from conformance.run.mapped.known import far_and_not_known, reason_known, without_known
    from conformance.run.mapping_process import asked_again, try_ops

    dtype = real_dtype(backend)
    count = sum(not names or name in names for name in backend.ops)
    mapped: list[MappedOp] = []
    words: list[str] = []
    doing = Doing()

    def doing_one(call: str) -> None:
        doing(f"{len(mapped)} of {count} ops done, now {call}")

    print(f"\nthe ops, each called in several forms in {dtype}:", flush=True)
    try:
        for op in try_ops(backend, spec, dtype, names, doing_one, words.append):
            mapped.append(op.without(changed))
        mapped = asked_again(backend, spec, dtype, mapped)
    finally:  # what was found until Ctrl-C too
        doing.erase()
        _print_words(words)
        said = (
            remark
            for op in mapped
            for remark in remarks(
                without_known(far_and_not_known(op, backend, known), backend, known),
                reason_known(op, backend, known),
                has_declared=_has_declared(backend, op),
            )
        )
        for line in blocks(said):
            print(line, flush=True)
    answered = [op for op in mapped if op.is_answered]
    right = [
        op for op in answered if not (op.slips or op.unsteady or op.refused or op.ungradable or op.suspect)
    ]
    part, never = sum(bool(op.not_offered) for op in right), len(mapped) - len(answered)
    but = f", {part} of them not in every call" if part else ""
    but += f"; no call of {never} is answered" if never else ""
    print(f"  {len(right)} of {len(mapped)} are what the catalogue means, with their gradients{but}")
    return mapped


def _has_declared(backend: Backend, op: MappedOp) -> bool:
    return op.op in backend.no_gradient.get(op.ungradable_in, ()) or op.op in backend.no_gradient.get("*", ())


def _print_words(words: Sequence[str]) -> None:
    from conformance.cli.pages.smoke_words import word_lines

    for line in word_lines(words):
        print(line)


# ---- what to declare --------------------------------------------------------------------------------


def _conventions(backend: Backend, spec: str) -> dict[str, str]:
    """Say for each clause in which engines differ what this one does; returns what to declare."""
    from conformance.atlas.conventions_process import try_conventions
    from conformance.cli.pages.smoke_ops import contradictions, convention_line

    if backend.is_spelling:
        return {}  # it declares those of the mode that it belongs to
    print("\nwhere engines may differ, this one:", flush=True)
    entries: dict[str, str] = {}
    words: list[str] = []
    doing = Doing()
    for convention in try_conventions(backend, spec, lambda check: doing(f"now {check}"), words.append):
        doing.erase()
        mark = "not " if convention.reason else "ok  " if convention.is_settled else "SAY "
        print(f"  {mark}  {convention_line(convention)}", flush=True)
        for line in contradictions(convention):
            print(f"              {line}")
        entries |= convention.entries
    _print_words(words)
    return entries
