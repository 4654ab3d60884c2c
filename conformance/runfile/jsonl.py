"""The run file: a header, results, timings and a footer, as JSON lines.

A missing footer means that the run was cut short, and reading says so. Every line is flushed as soon
as it is known, so that a killed run loses nothing that was finished.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, TextIO

import msgspec

from conformance.errors import RunFileError
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

SCHEMA = 2

_decoder = msgspec.json.Decoder(Line)
_encoder = msgspec.json.Encoder()


def encode(line: Line) -> str:
    """A line of the run file, without its end."""
    return _encoder.encode(line).decode()


def decode(text: str) -> Line:
    """The record behind a line of the run file."""
    line: Line = _decoder.decode(text)
    return line


class Run(msgspec.Struct):
    """A run file, read: `damage` tells what was wrong with it, empty where nothing was."""

    header: RunLine
    results: list[ResultLine]
    timings: list[TimingLine]
    proofs: list[ProofLine]
    mutants: list[MutantLine]
    end: EndLine | None = None
    damage: str = ""

    @property
    def is_complete(self) -> bool:
        """Whether the file has its footer and the footer says that nothing is missing."""
        return not self.missing

    @property
    def missing(self) -> str:
        """Why the file is not complete; empty where it is."""
        if self.damage:
            return self.damage
        if self.end is None:
            return "it has no footer: the run was cut short"
        return "" if self.end.complete else "its footer says that questions were not asked"

    def counts(self) -> dict[str, int]:
        """Results by verdict, as they are in the file whatever its footer says."""
        return counts_of(self.results)


class RunWriter:
    """Writes a run file line by line, flushed."""

    def __init__(self, path: Path, header: RunLine) -> None:
        self.path = path
        self.file: TextIO = path.open("w", encoding="utf-8")
        self.write(header)

    def write(self, line: Line) -> None:
        """Append one line; it is on its way to the disk when this returns."""
        self.file.write(encode(line) + "\n")
        self.file.flush()

    def close(self) -> None:
        """Close the file, with or without its footer."""
        self.file.close()


def read_run(path: Path) -> Run:
    """Read a run file, damaged or not.

    Raises RunFileError if there is no such file, or its first line is no header of this schema. Later
    damage is kept to in `Run.damage`: the lines around it are still measurements.
    """
    try:
        text = path.read_bytes().decode("utf-8", errors="replace")
    except OSError as error:
        raise RunFileError(f"cannot read the run file {path}: {error.strerror}") from None
    lines = _lines(text, path)
    first = next(lines, None)
    if not isinstance(first, RunLine):
        raise RunFileError(
            f"{path} is not a run file: its first line is not a run header. "
            "Write one with: conformance run -o RUN.jsonl"
        )
    if first.schema != SCHEMA:
        raise RunFileError(f"{path} has schema {first.schema}; this version reads schema {SCHEMA}")
    run = Run(first, [], [], [], [])
    cross_engine_answers: list[CrossEngineLine] = []
    for line in lines:
        if isinstance(line, str):
            run.damage = run.damage or line
        if isinstance(line, ResultLine):
            run.results.append(line)
        elif isinstance(line, CrossEngineLine):
            cross_engine_answers.append(line)
        elif isinstance(line, TimingLine):
            run.timings.append(line)
        elif isinstance(line, ProofLine):
            run.proofs.append(line)
        elif isinstance(line, MutantLine):
            run.mutants.append(line)
        elif isinstance(line, EndLine):
            run.end = line
    run.results = with_cross_engine(run.results, cross_engine_answers)
    return run


def _lines(text: str, path: Path) -> Iterator[Line | str]:
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        try:
            yield _decoder.decode(line)
        except msgspec.MsgspecError as error:
            yield f"{path}, line {number}: {error}"


def json_schema() -> Mapping[str, Any]:
    """The run file's lines as JSON Schema."""
    return msgspec.json.schema(Line)
