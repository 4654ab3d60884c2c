"""The page of the mutants made by program, in Markdown, with the data it is made from.

`conformance selftest --generated -o RUN` asks them; `explain mutants --runs RUN... -o FILE` renews the data, which stands
beside the page, and writes the page.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from conformance.runfile.generated import GeneratedLine

COMMAND = "conformance explain mutants -o docs/mutants.md"
DATA = "data/mutants.jsonl"

HEAD = f"""# Mutants made by program

Would the suite notice an error that nobody thought of? A program makes engines that are wrong in one way each, and each is
asked the questions of its op, or those about the engine as a whole, until a check catches it.

- `rules`: one error in the source of an op's VJP rule, such as a factor dropped, operands swapped, sine for cosine.
  The references stay right.
- `guarded`: a wrong gradient, or a fault of the engine's bookkeeping, only under a drawn condition on shape, size, parameter,
  dtype, memory layout, value, cotangent, operand kind, order of differentiation, mode, graph, thread or number of the call.
- `engine`: one error in the source of the reference engine.

A mutant of a rule is equivalent where it differs from the true rule on no leaf of the op's law, in no dtype, at no special
value, with no special cotangent, and not when it is differentiated again. Equivalent mutants, and those that nothing the adapter
calls can reach, stand apart and do not count.

This page is written by `{COMMAND}` from `docs/{DATA}`.
`conformance selftest --generated -o RUN`, and this command with `--runs RUN`, renew the data. With `--sample N` so many of each
kind are asked, drawn by the seed; there are some 20 000 in all.
"""


def read_lines(path: Path) -> list[GeneratedLine]:
    """The recorded mutants; raises UsageError where the file is missing or something else."""
    import msgspec

    from conformance.errors import UsageError
    from conformance.runfile.generated import GeneratedLine

    try:
        text = path.read_bytes()
    except OSError as error:
        raise UsageError(
            f"cannot read {path}: {error.strerror}; make it from run files with --runs"
        ) from None
    try:
        decoder = msgspec.json.Decoder(GeneratedLine)
        return [decoder.decode(line) for line in text.splitlines()]
    except msgspec.DecodeError as error:
        raise UsageError(f"{path} does not hold mutants made by program: {error}") from None


def record(path: Path, runs: Sequence[Path]) -> None:
    """Record the mutants of some run files: of those that were caught only what a score needs.

    Raises UsageError where none of the runs holds any.
    """
    import msgspec

    from conformance.errors import UsageError
    from conformance.runfile.jsonl import read_run

    lines = {line.name: line for run in runs for line in read_run(run).generated}
    if not lines:
        raise UsageError("no run holds mutants made by program: conformance selftest --generated -o RUN")
    path.parent.mkdir(parents=True, exist_ok=True)
    encoded = [msgspec.json.encode(_brief(line)).decode() for line in lines.values()]
    path.write_text("\n".join(encoded) + "\n", encoding="utf-8")


def _brief(line: GeneratedLine) -> GeneratedLine:
    from msgspec.structs import replace

    return (
        replace(line, wrong="", killer="", verdict="", seconds=0.0)
        if line.profile
        else replace(line, seconds=0.0)
    )


def page(lines: Sequence[GeneratedLine]) -> str:
    """The whole page."""
    return HEAD + "\n" + "\n".join(_sections(lines)) + "\n"


def _sections(lines: Sequence[GeneratedLine]) -> Iterator[str]:
    from conformance.runfile.generated import factor_of, scores_of

    yield from _table(
        ("kind", "profile", "caught", "of", "%", "apart"),
        ((s.kind, s.profile, s.killed, s.of, f"{100 * s.share:.1f}", s.apart) for s in scores_of(lines)),
    )
    yield "\n## By factor, or operator\n"
    yield from _table(("kind", "how", "caught", "of"), _by_how(lines))
    survivors = [line for line in lines if line.is_survivor]
    yield f"\n## Survivors: {len(survivors)}\n"
    yield "What no check caught, and the factor of its condition, or by which it was seen to differ.\n"
    yield from _table(
        ("mutant", "wrong", "factor"),
        ((f"`{line.name}`", _cell(line.wrong), _cell(line.shows or factor_of(line))) for line in survivors),
    )
    apart = [line for line in lines if line.apart]
    yield f"\n## Apart: {len(apart)}\n"
    yield from _table(
        ("mutant", "wrong", "why"),
        ((f"`{line.name}`", _cell(line.wrong), _cell(line.apart)) for line in apart),
    )


def _by_how(lines: Sequence[GeneratedLine]) -> list[tuple[str, str, int, int]]:
    counted: dict[tuple[str, str], list[bool]] = {}
    for line in lines:
        for how in () if line.apart else line.how.split(" and "):
            counted.setdefault((line.kind, how), []).append(bool(line.profile))
    return [(kind, how, sum(caught), len(caught)) for (kind, how), caught in sorted(counted.items())]


def _table(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> Iterator[str]:
    yield "| " + " | ".join(heads) + " |"
    yield "|" + "---|" * len(heads)
    for row in rows:
        yield "| " + " | ".join(map(str, row)) + " |"


def _cell(text: str) -> str:
    """Source on one line, as code where it has signs that Markdown reads."""
    flat = "; ".join(part.strip() for part in text.splitlines())
    return (
        flat.replace("|", "\\|")
        .replace("*", "\\*")
        .replace("_", "\\_")
        .replace("<", "&lt;")
        .replace("[", "\\[")
    )
