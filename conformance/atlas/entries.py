"""Entries: what was measured of one backend at each place of the atlas, and the file that keeps it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from conformance.checks.point_observation import Standing
from conformance.errors import UsageError
from conformance.runfile.records import BackendLine
from conformance.runfile.whole import write_whole

SCHEMA = 2


class Entry(msgspec.Struct, frozen=True, omit_defaults=True):
    """What was measured at one place: a clause, or `op/name` of a special point or of another question.

    `found` is a convention's name, or the numbers; `standing` is as in a reading. `call` is the engine's own call of
    `operands`, and `value` what it gave, in text: the gradients, after the output where that may differ, too. `dtype`
    is empty where the question is asked in no dtype of its own.
    """

    place: str
    clause: str
    found: str
    standing: str = Standing.OPEN.value
    declared: str = ""
    among: tuple[str, ...] = ()
    value: str = ""
    dtype: str = ""
    call: str = ""
    operands: str = ""

    @property
    def key(self) -> tuple[str, str]:
        """Where it was measured: the place and the dtype."""
        return self.place, self.dtype


class Survey(msgspec.Struct, frozen=True):
    """One backend, and what was measured of it."""

    backend: BackendLine
    entries: tuple[Entry, ...]

    def by_key(self) -> dict[tuple[str, str], Entry]:
        """The entries by where they were measured."""
        return {entry.key: entry for entry in self.entries}


class Atlas(msgspec.Struct, frozen=True):
    """Surveys side by side: what an atlas file holds."""

    schema: int
    digest: str
    surveys: tuple[Survey, ...]


class _Written(msgspec.Struct):
    """What every version of the file has."""

    schema: int


def write_atlas(path: Path, atlas: Atlas) -> None:
    """Write the atlas file."""
    write_whole(path, msgspec.json.format(msgspec.json.encode(atlas), indent=1).decode())


def read_atlas(path: Path) -> Atlas:
    """Read an atlas file; UsageError where it is none, or of another version."""
    again = "write one with: conformance atlas BACKEND -o F"
    try:
        written = path.read_bytes()
        if (schema := msgspec.json.decode(written, type=_Written).schema) != SCHEMA:
            raise UsageError(f"{path} is an atlas of version {schema}, not {SCHEMA}; {again}")
        return msgspec.json.decode(written, type=Atlas)
    except OSError as error:
        raise UsageError(f"cannot read the atlas {path}: {error.strerror}") from None
    except msgspec.MsgspecError as error:
        raise UsageError(f"{path} is no atlas ({error}); {again}") from None


def word(value: Any) -> Any:
    """A number in few digits, as the atlas shows it."""
    return f"{float(value):.4g}"
