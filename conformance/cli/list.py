"""list: name what there is: ops, special points, clauses, checks, backends or mutants."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from conformance.cli.console import add_json_flag, print_json

if TYPE_CHECKING:
    from conformance.oracle.proof import Proof


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The flags of `list`."""
    parser.add_argument("noun", metavar="ops|points|clauses|checks|backends|mutants", help="what to list")
    parser.add_argument(
        "query",
        nargs="?",
        default="",
        metavar="QUERY",
        help="only what contains this, or matches it where it has a *",
    )
    add_json_flag(parser)
    parser.add_argument(
        "--proofs", action="store_true", help="prove the ops listed, and show how far each is from its oracle"
    )
    parser.add_argument(
        "--coverage",
        nargs="+",
        type=Path,
        metavar="RUN",
        help="of ops: which levels of their factors, and pairs of levels, the cases of these runs reached",
    )
    parser.add_argument(
        "-o",
        "--output",
        type=Path,
        dest="proofs_to",
        metavar="RUN",
        help="with --proofs: also write a run file that reports show",
    )


@dataclass(frozen=True)
class Entry:
    """One thing that is listed: its cells by heading, and the words a query may find it by."""

    cells: dict[str, Any]
    found_by: tuple[str, ...]


def command(options: argparse.Namespace) -> int:
    """Print the list, or the proofs of the ops in it."""
    from conformance.errors import UsageError

    if options.noun not in NOUNS:
        from conformance.cli.console import nearest

        hint = nearest(options.noun, NOUNS) or f"there are {', '.join(NOUNS)}"
        raise UsageError(f"there is no list of {options.noun!r}; {hint}")
    if options.proofs and options.noun != "ops":
        raise UsageError(f"only ops are proven, not {options.noun}: conformance list ops --proofs")
    if options.coverage and options.noun != "ops":
        raise UsageError(
            f"coverage is that of ops, not of {options.noun}: conformance list ops --coverage RUN"
        )
    if options.proofs_to and not options.proofs:
        raise UsageError("-o writes proofs, so it needs --proofs: conformance list ops --proofs -o RUN.jsonl")
    entries = chosen(options.noun, list(NOUNS[options.noun]()), options.query)
    if options.coverage:
        from conformance.cli.pages.coverage import print_coverage

        names = [entry.cells["name"] for entry in entries]
        return print_coverage(names, options.coverage, as_json=options.as_json)
    if options.proofs:
        return prove([entry.cells["name"] for entry in entries], options.proofs_to, as_json=options.as_json)
    show(entries, as_json=options.as_json)
    return 0


def chosen(noun: str, entries: list[Entry], query: str) -> list[Entry]:
    """The entries that a query selects; raises NothingSelected where there is none."""
    from conformance.cli.console import matches, nearest
    from conformance.errors import NothingSelected, brief

    found = [entry for entry in entries if not query or matches(entry.found_by, query)]
    if not found:
        near = nearest(
            query, [next(iter(e.cells.values())) for e in entries] + [w for e in entries for w in e.found_by]
        )
        hint = near or f"`conformance list {noun}` names them all"
        raise NothingSelected(
            f"none of the {noun} matches {brief(query)!r}; {hint}" if query else f"there are no {noun}"
        )
    return found


def show(entries: list[Entry], *, as_json: bool) -> None:
    """Print entries in columns, or as a JSON list of objects."""

    from conformance.cli.console import print_columns

    if as_json:
        print_json([entry.cells for entry in entries])
        return
    headings = list(entries[0].cells)
    print_columns(headings, [[in_words(entry.cells[name]) for name in headings] for entry in entries])


def in_words(cell: Any) -> str:
    """A cell as text: lists joined, a mapping as the first value of each key."""
    if isinstance(cell, dict):
        return " ".join(f"{key}={values[0]}" for key, values in cell.items())
    return ", ".join(cell) if isinstance(cell, list) else str(cell)


# ---- what there is -------------------------------------------------------------------------------


def ops() -> Iterator[Entry]:
    """The rows of the catalogue, family by family."""
    from conformance.cli.console import domain_in_brief, parameters_of
    from conformance.op import Trait
    from conformance.ops import FAMILIES

    for family, rows in FAMILIES.items():
        for op in rows:
            operands = [domain_in_brief(domain) for domain in op.domains]
            cells = {
                "name": op.name,
                "family": family,
                "operands": [*operands, "…"] if Trait.VARIADIC in op.traits else operands,
                "parameters": {name: [repr(v) for v in values] for name, values in parameters_of(op).items()},
                "aliases": list(op.aliases),
            }
            yield Entry(cells, (op.name, *op.aliases, family))


def points() -> Iterator[Entry]:
    """The special points: the calls at which an op's rule alone does not decide."""
    from conformance.atlas.calls import array_in_brief
    from conformance.points import SPECIAL_POINTS
    from conformance.points.point import Place

    for key, point in SPECIAL_POINTS.items():
        cells = {
            "point": key,
            "nature": point.nature.value,
            "operands": [array_in_brief(x) for x in Place(point, "float64").operands],
            "parameters": [f"{name}={value!r}" for name, value in point.parameters.items()],
            "conventions": list(point.conventions),
        }
        yield Entry(cells, (key, point.nature.value, *point.conventions))


def clauses() -> Iterator[Entry]:
    """The sentences of the standard."""
    from conformance.clauses import STANDARD

    for clause in STANDARD.values():
        cells = {
            "number": clause.number,
            "level": clause.level.value,
            "sentence": clause.sentence,
            "conventions": list(clause.conventions),
        }
        yield Entry(cells, (clause.number, clause.level.value, clause.sentence, *clause.conventions))


def checks() -> Iterator[Entry]:
    """The checks of engines, by key."""
    from conformance.checks import load_all
    from conformance.clauses import STANDARD

    for key, check in sorted(load_all().items()):
        clause = STANDARD.get(check.clause)
        cells = {
            "check": key,
            "clause": check.clause,
            "level": clause.level.value if clause else "must",
            "claim": check.claim,
            "needs": sorted(c.name.lower() for c in check.needs),
        }
        yield Entry(cells, (key, check.claim, check.clause))


def backends() -> Iterator[Entry]:
    """The adapters that are installed, by their metadata; `conformance doctor BACKEND` starts one."""
    from conformance.load import absence, found_version, install_hint, named

    for name, point in sorted(named().items()):
        found = found_version(name)
        lacking = absence(name) if found else ""
        cells = {
            "name": name,
            "state": f"absent: {lacking}" if lacking else "installed" if found else "not installed",
            "engine": name.partition(".")[0],
            "version": found,
            "adapter": point.value,
            "install": "" if found else install_hint(name),
        }
        yield Entry(cells, (name, point.value))


def mutants() -> Iterator[Entry]:
    """The engines that are wrong on purpose."""
    from conformance.selfcheck.selftest import registered_mutants

    for mutant in registered_mutants().values():
        cells = {"name": mutant.name, "wrong": mutant.wrong, "kills": list(mutant.kills)}
        yield Entry(cells, (mutant.name, mutant.wrong, *mutant.kills))


NOUNS: dict[str, Callable[[], Iterator[Entry]]] = {
    "ops": ops,
    "points": points,
    "clauses": clauses,
    "checks": checks,
    "backends": backends,
    "mutants": mutants,
}

# ---- proofs --------------------------------------------------------------------------------------


def prove(names: list[str], path: Path | None, *, as_json: bool) -> int:
    """Prove rows and print their table as it grows; 1 where a row does not hold."""

    from conformance.selfcheck.proofs import prove_rows, write_proofs

    printer = _ProofPrinter(names, is_silent=as_json)
    with printer:
        if path:
            write_proofs(path, prove_rows(names), printer.add)
        else:
            for proof in prove_rows(names):
                printer.add(proof)
    proofs = printer.proofs
    if as_json:
        fields = [
            {"op": p.op, "oracle": p.oracle, "error": p.error, "cases": p.cases, "holds": p.holds}
            for p in proofs
        ]
        print_json(fields)
    else:
        print(f"\n{summary(proofs)}" + (f"\nrun file {path}" if path else ""))
    return 0 if all(proof.holds for proof in proofs) else 1


def summary(proofs: list[Proof]) -> str:
    """How many rows hold, and which is the furthest from its oracle."""
    from conformance.oracle.proof import PROVEN

    worst = max(proofs, key=lambda proof: proof.error)
    holding = sum(proof.holds for proof in proofs)
    cases = sum(proof.cases for proof in proofs)
    return (
        f"{holding}/{len(proofs)} rows proven over {cases} cases; "
        f"the worst relative disagreement is {worst.error:.1e} ({worst.op}), at most {PROVEN:.0e} is allowed"
    )


class _ProofPrinter:
    """Prints proofs as they come, under a bar where there is a terminal."""

    def __init__(self, names: list[str], *, is_silent: bool) -> None:
        from rich.console import Console
        from rich.progress import Progress

        self.proofs: list[Proof] = []
        self.is_silent = is_silent
        self.width = max(map(len, names))
        self.console = Console(highlight=False, soft_wrap=True, stderr=is_silent)
        self.bar = Progress(console=self.console, transient=True, disable=not self.console.is_terminal)
        self.task = self.bar.add_task("proving", total=len(names))

    def __enter__(self) -> None:
        self.bar.start()
        self._say(f"{'op':{self.width}}  {'error':>7}  {'cases':>5}  oracle")

    def __exit__(self, *_: object) -> None:
        self.bar.stop()

    def add(self, proof: Proof) -> None:
        """One more row."""
        self.proofs.append(proof)
        verdict = "" if proof.holds else "  NOT PROVEN"
        self._say(f"{proof.op:{self.width}}  {proof.error:7.1e}  {proof.cases:5}  {proof.oracle}{verdict}")
        self.bar.advance(self.task)

    def _say(self, text: str) -> None:
        from rich.text import Text

        if not self.is_silent:
            self.console.print(Text(text))
