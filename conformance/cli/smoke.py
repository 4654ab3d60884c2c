"""smoke: ten trivial checks that distinguish a wrong adapter from a wrong engine, then the conventions to declare."""

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
        "--conventions",
        action="store_true",
        help="only what the engine does where engines differ, to be pasted",
    )


def command(options: argparse.Namespace) -> int:
    """Check, print a line each with a hint where it fails, and return 11 if any does."""
    from conformance.errors import AdapterError
    from conformance.load import load_backend

    backend = load_backend(options.backend)
    failed = 0 if options.conventions else _questions(backend)
    if failed:
        print("fix the adapter first: conventions cannot be measured through a broken one")
    else:
        _print_conventions(backend)
    return AdapterError.exit_code if failed else 0


def _questions(backend: Backend) -> int:
    from conformance.run.smoke import QUESTIONS, try_question

    failed = 0
    for question in QUESTIONS:
        answer = try_question(question, backend)
        print(f"  {'BAD ' if answer else 'ok  '}  {question.claim}")
        if answer:
            failed += 1
            print(f"          {answer}\n          hint: {question.hint}")
    print(
        f"{len(QUESTIONS) - failed} of {len(QUESTIONS)} hold for {backend.name} ({backend.engine} {backend.version()})"
    )
    return failed


def _print_conventions(backend: Backend) -> None:
    """Say for each clause in which engines differ what this one does, and what to declare."""
    from conformance.atlas.conventions import measure_conventions

    measured = list(measure_conventions(backend))
    print("\nwhere engines may differ, this one:")
    for convention in measured:
        print(f"  {'ok  ' if convention.is_settled else 'SAY '}  {_line(convention)}")
    declared = {e.clause.number: e.found[0] for e in measured if e.found}
    if any(not e.is_settled for e in measured):
        print("\n    conventions = {")
        for number, choice in declared.items():
            print(f'        "{number}": "{choice}",')
        print("    }")


def _line(convention: MeasuredConvention) -> str:
    clause, declared = convention.clause, convention.declared
    said = f"declared {declared!r}" if declared else "not declared"
    if convention.reason:
        return f"{clause.number:4} is not checked: {convention.reason}"
    if not convention.found:
        return f"{clause.number:4} does none of {', '.join(clause.conventions)} ({said}): {clause.sentence}"
    if convention.is_settled:
        return f"{clause.number:4} {declared}"
    return f"{clause.number:4} {' or '.join(convention.found)} ({said}): {clause.sentence}"
