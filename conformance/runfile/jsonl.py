"""The run file: a header, results, timings and a footer, as JSON lines.

A missing footer means that the run was cut short, and reading says so. Every line is flushed as soon
as it is known, so that a killed run loses nothing that was finished.
"""

from __future__ import annotations

import codecs
import enum
import itertools
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO

import msgspec

from conformance.errors import RunFileError
from conformance.runfile.generated import GeneratedLine
from conformance.runfile.records import (
    CrossEngineLine,
    EndLine,
    Line,
    MutantLine,
    ProofLine,
    ResultLine,
    RunLine,
    TimingLine,
    counts_of,
    with_cross_engine,
)
from conformance.runfile.whole import opened

SCHEMA = 2

MOST_DAMAGE = 3  # damaged lines that a message names
LONGEST_LINE = 16_000_000  # bytes: a result with its arrays has some thousands
PACKED = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd", b"PK": "zip", b"BZh": "bzip2", b"\xfd7zX": "xz"}
HEADER = re.compile(rb'(?:\xef\xbb\xbf)?\s*\{\s*"type"\s*:\s*"run"')
SCHEMA_IN = re.compile(rb'"schema"\s*:\s*(\d{1,18})\s*[,}]')

_decoder = msgspec.json.Decoder(Line)
_encoder = msgspec.json.Encoder()


def encode(line: Line) -> str:
    """A line of the run file, without its end."""
    return _encoder.encode(line).decode()


def decode(text: str) -> Line:
    """The record behind a line of the run file."""
    line: Line = _decoder.decode(text)
    return line


class DamageKind(enum.StrEnum):
    """What can be wrong with a line of a run file."""

    UNREADABLE = "unreadable line"
    DUPLICATE_ID = "duplicate id"
    SECOND_HEADER = "second header"
    FOREIGN = "result of no backend of the header"
    AFTER_FOOTER = "line after the footer"
    FALSE_COUNTS = "counts that are not those of the results"


class Damage(msgspec.Struct, frozen=True):
    """One thing wrong with a run file, at a line of it."""

    kind: DamageKind
    path: str
    line: int
    reason: str

    def __str__(self) -> str:
        return f"{self.path}, line {self.line}: {self.reason}"

    def within(self, path: Path | None) -> str:
        """The same in a message that names that file already."""
        return f"line {self.line}: {self.reason}" if self.path == str(path) else str(self)


class Run(msgspec.Struct):
    """A run file, read, with whatever damage it has: its other lines are still measurements."""

    header: RunLine
    results: list[ResultLine]
    timings: list[TimingLine]
    proofs: list[ProofLine]
    mutants: list[MutantLine]
    end: EndLine | None = None
    damage: tuple[Damage, ...] = ()
    generated: list[GeneratedLine] = []

    @property
    def is_complete(self) -> bool:
        """Whether the file has its footer and the footer says that nothing is missing."""
        return not self.missing

    @property
    def missing(self) -> str:
        """Why the file is not complete; empty where it is."""
        return self.missing_in(None)

    def missing_in(self, path: Path | None) -> str:
        """The same in a message that names the file already; of much damage it names the first lines."""
        if self.damage:
            first = [damage.within(path) for damage in self.damage[:MOST_DAMAGE]]
            more = len(self.damage) - len(first)
            return "; ".join(first) + (f"; and {more} more" if more else "")
        if self.end is None:
            return "it has no footer: the run was cut short"
        if self.end.not_asked:
            return self.end.shortfall
        return "" if self.end.complete else "its footer says that the run was not finished"

    def warning(self, path: Path) -> str:
        """What a command that reads the file says of one that is not complete; empty of one that is."""
        return "" if self.is_complete else f"{path} is not complete: {self.missing_in(path)}"

    @property
    def is_as_requested(self) -> bool:
        """Whether nothing is missing but what its budget left out."""
        return self.is_complete or bool(not self.damage and self.end and self.end.not_asked)

    @property
    def contents(self) -> str:
        """What it holds, counted, such as "12 results"; "0 results" where that is nothing."""
        held: dict[str, Sequence[object]] = {
            "result": self.results,
            "time": self.timings,
            "proof": self.proofs,
            "mutant": self.mutants,
            "generated mutant": self.generated,
        }
        counted = [f"{len(lines)} {what}{'s' * (len(lines) != 1)}" for what, lines in held.items() if lines]
        return ", ".join(counted) or "0 results"

    def counts(self) -> dict[str, int]:
        """Results by verdict, as they are in the file whatever its footer says."""
        return counts_of(self.results)


def read_run(path: Path) -> Run:
    """Read a run file, damaged or not.

    Raises RunFileError if there is no such file, or its first line is no header of this schema. Later lines
    that are no records, and results whose id an earlier result has, are in `Run.damage`.
    """
    lines = _lines(path)
    _, first = next(lines, (0, None))
    if not isinstance(first, RunLine):
        raise RunFileError(f"{path} is not a run file: {_what_it_is(path, first)}")
    if first.schema != SCHEMA:
        raise RunFileError(f"{path} has schema {first.schema}; this version reads schema {SCHEMA}")
    run, damage = Run(first, [], [], [], []), list[Damage]()
    cross_engine_answers: list[CrossEngineLine] = []
    backends = {line.name for line in first.backends}
    first_lines: dict[str, int] = {}  # where each result id stands first
    for number, line in lines:
        if run.end is not None and not isinstance(line, Damage):
            reason = "it stands after the footer"
            damage.append(Damage(DamageKind.AFTER_FOOTER, str(path), number, reason))
        if isinstance(line, Damage):
            damage.append(line)
        elif isinstance(line, RunLine):
            reason = "a second header: two runs are in one file"
            damage.append(Damage(DamageKind.SECOND_HEADER, str(path), number, reason))
        elif isinstance(line, ResultLine):
            run.results.append(line)
            if line.backend not in backends:
                reason = f"its backend {line.backend} is not in the header"
                damage.append(Damage(DamageKind.FOREIGN, str(path), number, reason))
            if (earlier := first_lines.setdefault(line.id, number)) != number:
                reason = f"the result {line.id} is also in line {earlier}"
                damage.append(Damage(DamageKind.DUPLICATE_ID, str(path), number, reason))
        elif isinstance(line, CrossEngineLine):
            cross_engine_answers.append(line)
        elif isinstance(line, TimingLine):
            run.timings.append(line)
        elif isinstance(line, ProofLine):
            run.proofs.append(line)
        elif isinstance(line, MutantLine):
            run.mutants.append(line)
        elif isinstance(line, GeneratedLine):
            run.generated.append(line)
        elif isinstance(line, EndLine):
            run.end = line
            if line.counts and not damage and line.counts != run.counts():
                reason = f"its footer counts {line.counts}, its results are {run.counts()}"
                damage.append(Damage(DamageKind.FALSE_COUNTS, str(path), number, reason))
    run.damage = tuple(damage)
    run.results = with_cross_engine(run.results, cross_engine_answers)
    return run


def read_results(path: Path) -> Run:
    """Read the run file of questions that were asked; raises RunFileError for a file of something else."""
    run = read_run(path)
    if not run.results and run.contents != Run(run.header, [], [], [], []).contents:
        raise RunFileError(f"{path} has {run.contents}, and no results, which conformance run writes")
    return run


def _what_it_is(path: Path, first: Line | Damage | None) -> str:
    """What a file without a header is, and the way out."""
    with opened(path) as file:
        line = file.readline(LONGEST_LINE)
    start = line[:4]
    if not start:
        return "it is empty. Write one with: conformance run -o RUN.jsonl"
    if start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "it is UTF-16 text, where run files are UTF-8. An editor or a shell may have changed it"
    packed = next((name for magic, name in PACKED.items() if start.startswith(magic)), "")
    if packed:
        return f"it is packed by {packed}. Unpack it first"
    if isinstance(first, Damage) and HEADER.match(line):
        schema = SCHEMA_IN.search(line)
        if schema and int(schema[1]) != SCHEMA:  # its fields may differ as well, which would only distract
            return f"it has schema {int(schema[1])}; this version reads schema {SCHEMA}"
        return f"its header, in line {first.line}, is damaged: {first.reason}"
    return "its first line is not a run header. Write one with: conformance run -o RUN.jsonl"


def _lines(path: Path) -> Iterator[tuple[int, Line | Damage]]:
    """The lines with their numbers, one in memory at a time; RunFileError where there is no such file."""
    try:
        with opened(path) as file:
            yield from _records(file, path)
    except OSError as error:
        raise RunFileError(f"cannot read the run file {path}: {error.strerror}") from None


def _records(file: IO[bytes], path: Path) -> Iterator[tuple[int, Line | Damage]]:
    for number in itertools.count(1):
        line = file.readline(LONGEST_LINE)
        if not line:
            return
        if len(line) == LONGEST_LINE and not line.endswith(b"\n"):
            while (more := file.readline(LONGEST_LINE)) and not more.endswith(b"\n"):
                pass
            yield number, Damage(DamageKind.UNREADABLE, str(path), number, f"more than {LONGEST_LINE} bytes")
        elif line.strip():
            marked = "utf-8-sig" if number == 1 else "utf-8"  # an editor may have marked the encoding
            try:
                yield number, _decoder.decode(line.decode(marked, errors="replace"))
            except (msgspec.MsgspecError, RecursionError) as error:
                yield number, Damage(DamageKind.UNREADABLE, str(path), number, str(error))
