"""explain: say what a clause, an op or a check means and why."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from conformance.cli.console import add_json_flag
from conformance.errors import brief

if TYPE_CHECKING:
    from conformance.checks import Check
    from conformance.clauses import Clause
    from conformance.cli.console import Page

PAGES = ("standard", "contracts", "engines", "sensitivity", "mutants")  # that are written as files

WITH_RUNS, WITH_KNOWN = ("engines", "mutants"), ("engines",)

LEVELS = {
    "must": "an engine that does not is not conforming",
    "should": "an engine may have a reason not to, and its users must know",
    "reported": "a number to be compared; no engine fails for it",
    "may": "where an engine offers it, it is held to this",
    "example": "a worked example: every number can be checked on paper",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The argument of `explain`."""
    parser.add_argument(
        "id",
        metavar="ID",
        help="a clause (B3), an op (matmul), a check (op/vjp), the id of a result, a verdict (undecided, or all: verdicts), "
        "a line of a failure (allowed, or all: failure), "
        "or a whole page: 'standard', 'contracts', 'engines', 'sensitivity', 'mutants'",
    )
    parser.add_argument(
        "-o", "--output", type=Path, metavar="FILE", help="write the page there; the standard also as .html"
    )
    parser.add_argument(
        "--runs",
        nargs="+",
        type=Path,
        default=[],
        metavar="RUN",
        help="with 'engines' or 'mutants': count these runs again",
    )
    parser.add_argument(
        "--known",
        type=Path,
        metavar="FILE",
        help="with 'engines': the known failures (default: known-failures.toml)",
    )
    add_json_flag(parser)


def command(options: argparse.Namespace) -> int:
    """Print the page of what the id names."""
    from conformance.cli.console import Page, print_json
    from conformance.errors import UsageError

    _hold_flags(options)
    if options.id in PAGES:
        from conformance.cli.pages import page_text, write_page

        options.known = options.known or Path("known-failures.toml")
        if options.as_json:
            text = page_text(options.id, options.output, runs=options.runs, known=options.known)
            print_json({"page": options.id, "text": text})
        else:
            write_page(options.id, options.output, runs=options.runs, known=options.known)
        return 0
    if options.output:
        raise UsageError(f"-o writes one of the pages {', '.join(PAGES)}")
    page = Page()
    explain(options.id.strip().strip("/"), page)
    if options.as_json:
        print_json(page.as_json())
    else:
        page.end()
    return 0


def _hold_flags(options: argparse.Namespace) -> None:
    """Raise UsageError for a flag that the page does not use, rather than pass over it."""
    from conformance.cli.settings import is_typed
    from conformance.errors import UsageError

    for flag, pages in (("--runs", WITH_RUNS), ("--known", WITH_KNOWN)):
        if is_typed(options, flag) and options.id not in pages:
            raise UsageError(
                f"{flag} is for the page {' or '.join(pages)}, and {brief(options.id)!r} does not use it; leave out {flag}"
            )


def explain(identifier: str, page: Page) -> None:
    """Put together the page; raises UsageError, naming what is near, where the id names nothing."""
    from conformance.checks import load_all
    from conformance.clauses import STANDARD
    from conformance.cli.pages.explain_point import explain_point
    from conformance.cli.pages.verdict_words import WORDS, explain_words
    from conformance.ops import ALL_OPS
    from conformance.points import SPECIAL_POINTS

    parts = _without_backend(identifier.split("/"))
    checks, ops = load_all(), {n: op for op in ALL_OPS.values() for n in (op.name, *op.aliases)}
    last = parts[-1] if len(parts) < 3 else ""
    if (key := "/".join(parts)) in checks:
        _check(checks[key], page)
    elif parts[0] == "op" and len(parts) > 2 and parts[1] in ops and f"op/{parts[2]}" in checks:
        _check(checks[f"op/{parts[2]}"], page)
        _op(ops[parts[1]].name, page)
    elif parts[0] == "program" and len(parts) > 2 and f"program/{parts[1]}" in checks:
        _check(checks[f"program/{parts[1]}"], page)
    elif (point := SPECIAL_POINTS.get("/".join(parts[1:3] if parts[0] == "point" else parts))) is not None:
        explain_point(point, page)
    elif last.upper() in STANDARD and parts[0] in (last, "contract", "example"):
        _clause(STANDARD[last.upper()], page)
    elif last in ops and parts[0] in (last, "op"):
        _op(last, page)
    elif len(named := [check for check in checks.values() if check.name == identifier]) == 1:
        _check(named[0], page)
    elif (word := identifier.replace("-", " ")) in WORDS:
        explain_words(word, page)
    else:
        names = [*STANDARD, *ops, *checks, *(f"op/{name}" for name in ops), *WORDS]
        raise _unknown(identifier, parts, names)


def _without_backend(parts: list[str]) -> list[str]:
    """The id of a result without the engine's name in front."""
    from conformance.questions import all_kinds

    kinds = all_kinds()
    return parts[1:] if len(parts) > 2 and parts[0] not in kinds and parts[1] in kinds else parts


def _unknown(identifier: str, parts: Sequence[str], names: list[str]) -> Exception:
    from conformance.cli.console import nearest
    from conformance.errors import UsageError
    from conformance.questions import all_kinds

    if identifier in all_kinds():
        return UsageError(
            f"nothing is called {identifier!r}; it begins the ids of many checks: conformance list checks {identifier}/"
        )
    hint = nearest(identifier, names) or nearest("/".join(parts), names) or nearest(parts[-1], names)
    if not hint:
        hint = "clauses, ops and checks can be explained: conformance list clauses|ops|checks"
    return UsageError(f"nothing is called {brief(identifier)!r}; {hint}")


def _op(name: str, page: Page) -> None:
    from conformance.cli.explain_op import explain_op
    from conformance.ops import find

    explain_op(find(name), page)


# ---- clauses --------------------------------------------------------------------------------------


def _clause(clause: Clause, page: Page) -> None:
    from conformance.checks import load_all
    from conformance.clauses.clause import CHAPTERS, Level
    from conformance.questions import kind_of
    from conformance.selfcheck.selftest import registered_mutants

    page.title(f"{clause.number} · {clause.level.value} · {CHAPTERS[clause.chapter]}")
    page.text(clause.sentence)
    page.text(f"({clause.level.value}: {LEVELS[clause.level.value]})")
    page.heading("What it teaches" if clause.level is Level.SHOWN else "Why it matters")
    page.text(clause.reason)
    if clause.conventions:
        page.heading("What an engine may choose")
        page.text(
            f"{' | '.join(clause.conventions)}. Engines differ here for good reasons; each says which it does, is held "
            "to that, and the report shows them side by side."
        )
    page.heading("The computation" if clause.level is Level.SHOWN else "How it is tested")
    tests = [check for check in load_all().values() if check.clause == clause.number]
    mutants = registered_mutants().values()
    for check in tests:
        page.line(check.key)
        _docstring(check, page, indent=4)
        for need in sorted(check.needs, key=lambda need: need.name):
            page.text(f"needs {need.label}: {need.value}", indent=4)
        if caught := [mutant.name for mutant in mutants if check.key in mutant.kills]:
            page.text(f"catches {', '.join(caught)}", indent=4)
    page.heading("Further")
    for query in dict.fromkeys(kind_of(check).query(check) for check in tests):
        page.line(f"conformance run -q '{query}'")
    page.line(f"conformance list checks {clause.number}")
    page.line(f"conformance list clauses '{clause.chapter}*'")


def _docstring(check: Check, page: Page, indent: int = 2) -> None:
    """A check's claim, and the rest of its docstring."""
    import inspect

    claim, _, rest = (inspect.getdoc(check.function) or "").partition("\n\n")
    page.text(claim, indent=indent)
    for paragraph in filter(None, rest.split("\n\n")):
        page.text(paragraph, indent=indent)


# ---- checks ---------------------------------------------------------------------------------------


def _check(check: Check, page: Page) -> None:
    from conformance.clauses import STANDARD
    from conformance.questions import kind_of

    page.title(
        f"{check.key} · a check of {check.clause}" if check.clause in STANDARD else f"{check.key} · a check"
    )
    _docstring(check, page)
    clause = STANDARD.get(check.clause)
    if clause:
        page.heading(f"The clause it tests: {clause.number}, {clause.level.value}")
        page.text(clause.sentence)
        page.text(clause.reason)
    page.heading("What it is run on")
    page.text(kind_of(check).coverage(check))
    for need in sorted(check.needs, key=lambda need: need.name):
        page.line(f"needs {need.name.lower()}: {need.value}")
    page.heading("Further")
    page.line(f"conformance run -q '{kind_of(check).query(check)}'")
    if clause:
        page.line(f"conformance explain {clause.number}")
    page.line(f"conformance list mutants {check.key}")
