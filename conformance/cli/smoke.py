"""smoke: ten trivial questions that tell a wrong adapter from a wrong engine."""

from __future__ import annotations

import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What `smoke` takes."""
    parser.add_argument("backend", metavar="BACKEND", help="an entry point's name, module:Name, or file.py")


def command(options: argparse.Namespace) -> int:
    """Ask, print a line each with a hint where it fails, and return 11 if any does."""
    from conformance.errors import AdapterError
    from conformance.load import load_backend
    from conformance.run.smoke import QUESTIONS, ask

    backend = load_backend(options.backend)
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
    return AdapterError.exit_code if failed else 0
