"""Outputs of a command: each can be written, and none may be a file that it reads, or that it writes besides."""

from __future__ import annotations

import argparse
import itertools
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from conformance.errors import UsageError
from conformance.runfile.whole import place_of
from conformance.runfile.writer import PART

WRITTEN = ("output", "report", "html", "junit", "github", "gitlab")  # flags whose files are written anew
STANDARD_OUTPUT = "-"  # to other commands: it would be a file that is hard to get rid of
ARGUMENTS = {"runs": "RUN", "old": "OLD", "new": "NEW", "backends": "BACKEND", "backend": "BACKEND"}
RUN_FILES = frozenset(
    {"output", "runs", "resume", "rerun_failed"}
)  # `run`, and `merge` without --force, keep what was there


ENGINES = ("backends", "backend", "on")  # arguments that may name an adapter's file


def hold_utf8(options: argparse.Namespace) -> None:
    """Refuse names that are no UTF-8 where they would reach workers, run files, JSON or ids, which are; raises UsageError.

    Reports and run files that are only read may be called anything.
    """
    is_run = options.verb == "run"
    reaches_all = is_run or getattr(options, "as_json", False)
    if is_run:
        _hold_utf8("the working folder", os.getcwd())
    for name, value in vars(options).items():
        if reaches_all or name in ENGINES:
            for entry in value if isinstance(value, (list, tuple)) else [value]:
                if isinstance(entry, (str, Path)):
                    _hold_utf8(_flag(name), str(entry))


def _hold_utf8(what: str, name: str) -> None:
    try:
        name.encode()
    except UnicodeEncodeError:
        raise UsageError(
            f"{what} {name!r}: names have to be UTF-8 here, and this one is not; rename it"
        ) from None


def hold_apart(options: argparse.Namespace) -> None:
    """Refuse an output that cannot be written, or would destroy a file that the command is given; raises UsageError."""
    given = list(_paths(options))
    keeps = options.verb == "run" or (options.verb == "merge" and not options.force)
    replaces = RUN_FILES if keeps else frozenset()
    if options.verb == "run" and options.force:
        replaces -= {"rerun_failed"}  # --resume ends with more than it had, --rerun-failed with less
        given += [("output", options.output.with_name(options.output.name + PART))]
    for name, path in given:
        if name in WRITTEN and str(path) == STANDARD_OUTPUT:
            raise UsageError(
                f"{_flag(name)} {path} is no file here; for standard output: {_flag(name)} /dev/stdout"
            )
        if name in WRITTEN and name not in replaces:  # known before hours of measuring
            _hold_writable(_flag(name), path)
    given = [(name, path) for name, path in given if os.path.isfile(path) or not os.path.exists(path)]
    for (name, path), (besides, other) in itertools.permutations(given, 2):
        if name in WRITTEN and not {name, besides} <= replaces and _is_same(path, other):
            raise UsageError(
                f"{_flag(name)} {path} would replace the file of {_flag(besides)}; give each a file of its own"
            )


def _hold_writable(flag: str, path: Path) -> None:
    """Raise UsageError where nothing can be written at the path."""
    if path.is_dir():
        raise UsageError(f"{flag} {path} is a folder; name a file in it")
    place = place_of(path)
    folder = next(parent for parent in place.parents if os.path.lexists(parent))
    if not folder.is_dir():
        raise UsageError(f"{flag} {path}: {folder} is a file, and a file stands where a folder is needed")
    if not os.access(place if place.exists() else folder, os.W_OK):
        where = "it" if place.exists() else f"the folder {folder}"
        raise UsageError(f"cannot write {flag} {path}: {where} may only be read; name another place")


def _paths(options: argparse.Namespace) -> Iterator[tuple[str, Path]]:
    """The paths of a command, each with the name of its argument."""
    for name, value in vars(options).items():
        for entry in value if isinstance(value, list) else [value]:
            path = _adapter(entry) if name in ("backends", "backend") else entry
            if isinstance(path, Path):
                yield name, path


def _adapter(spec: Any) -> Path | None:
    """The file of an adapter that is named by its file, alone or with a class: mine.py, mine.py:Mine."""
    file = str(spec).partition(".py:")[0]
    path = Path(file if file.endswith(".py") else f"{file}.py")
    return path if str(spec).startswith(str(path)) else None


def _is_same(first: Path, second: Path) -> bool:
    try:
        return first.resolve() == second.resolve() or first.samefile(second)
    except (OSError, RuntimeError):  # one of them is missing, or a loop of links
        return False


def _flag(name: str) -> str:
    """How an argument is called on the command line."""
    return (
        "-o"
        if name == "output"
        else f"--{name}"
        if name in WRITTEN
        else ARGUMENTS.get(name, f"--{name.replace('_', '-')}")
    )
