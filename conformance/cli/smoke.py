"""smoke: ten trivial questions that tell a wrong adapter from a wrong engine, and what the engine elects."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from conformance.atlas.conventions import MeasuredConvention
    from conformance.backend import Backend


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What `smoke` takes."""
    parser.add_argument("backend", metavar="BACKEND", help="an entry point's name, module:Name, or file.py")
    parser.add_argument(
        "--elections",
        action="store_true",
        help="only what the engine does where engines differ, to be pasted",
    )


def command(options: argparse.Namespace) -> int:
    """Ask, print a line each with a hint where it fails, and return 11 if any does."""
    from conformance.errors import AdapterError
    from conformance.load import load_backend

    backend = load_backend(options.backend)
    failed = 0 if options.elections else _questions(backend)
    if failed:
        print("mend the adapter first: what an engine elects cannot be asked through a broken one")
    else:
        _elections(backend)
    return AdapterError.exit_code if failed else 0


def _questions(backend: Backend) -> int:
    from conformance.run.smoke import QUESTIONS, ask

    failed = 0
    for question in QUESTIONS:
        answer = ask(question, backend)
        print(f"  {'BAD ' if answer else 'ok  '}  {question.claim}")
        if answer:
            failed += 1
            print(f"          {answer}\n          hint: {question.hint}")
    print(
        f"{len(QUESTIONS) - failed} of {len(QUESTIONS)} hold for {backend.name} ({backend.engine} {backend.version()})"
    )
    return failed


def _elections(backend: Backend) -> None:
    """Say for each clause in which engines differ what this one does, and what to declare."""
    from conformance.atlas.conventions import measure_conventions

    elections = list(measure_conventions(backend))
    print("\nwhere engines may differ, this one:")
    for election in elections:
        print(f"  {'ok  ' if election.is_settled else 'SAY '}  {_told(election)}")
    declared = {e.clause.number: e.found[0] for e in elections if e.found}
    if any(not e.is_settled for e in elections):
        print("\n    conventions = {")
        for number, choice in declared.items():
            print(f'        "{number}": "{choice}",')
        print("    }")


def _told(election: MeasuredConvention) -> str:
    clause, declared = election.clause, election.declared
    said = f"declared {declared!r}" if declared else "not declared"
    if election.reason:
        return f"{clause.number:4} is not asked: {election.reason}"
    if not election.found:
        return f"{clause.number:4} does none of {', '.join(clause.conventions)} ({said}): {clause.sentence}"
    if election.is_settled:
        return f"{clause.number:4} {declared}"
    return f"{clause.number:4} {' or '.join(election.found)} ({said}): {clause.sentence}"
