"""What an adapter may take away from this process while it is imported, and is given back; what is installed to be imported."""

from __future__ import annotations

import builtins
import contextlib
import math
import operator
import os
import sys
from collections.abc import Iterator
from functools import cache
from importlib import metadata
from types import ModuleType
from typing import Any

import numpy as np

from conformance.errors import AdapterError

# The references compute with them.
MODULES: tuple[ModuleType, ...] = (builtins, math, operator, np, np.linalg, np.fft, np.random)
# Those that debuggers, terminals and interactive shells replace, as they may.
REPLACEABLE = frozenset({"breakpoint", "copyright", "credits", "exit", "help", "input", "license", "open", "print", "quit"})  # fmt: skip


changed_errors: dict[str, str] = {}  # what imports have set of NumPy's error state, which is put back


@contextlib.contextmanager
def process_as_it_was(spec: str) -> Iterator[None]:
    """Give back what this project needs in its own process, and an adapter may take away while it is imported.

    Raises:
        AdapterError: where it replaces functions of Python or NumPy: this project computes with them.
    """
    limit, streams, path = sys.getrecursionlimit(), (sys.stdout, sys.stderr), list(sys.path)
    functions, folder, errors = _functions(), folder_now(), error_state()
    try:
        yield
    finally:  # the functions first: what follows is computed with them
        replaced = [key for key, value in functions.items() if vars(key[0]).get(key[1]) is not value]
        for module, name in replaced:
            setattr(module, name, functions[module, name])
        sys.setrecursionlimit(max(limit, sys.getrecursionlimit()))
        sys.stdout, sys.stderr = streams
        sys.path += [entry for entry in path if entry not in sys.path]
        if folder and folder_now() != folder:
            os.chdir(folder)  # a file may be named relative to it, and is loaded again in other processes
        if (now := error_state()) != errors:
            np.seterr(**errors)  # type: ignore[arg-type]  # what it said before
            changed_errors.update({kind: how for kind, how in now.items() if how != errors[kind]})
    if replaced:
        names = ", ".join(f"{module.__name__}.{name}" for module, name in replaced)
        raise AdapterError(
            f"importing {spec} replaces {names} for the whole process, in which the suite computes, too: give the "
            "adapter's functions names of its own module"
        )


def folder_now() -> str:
    """The working folder; empty where it is gone."""
    try:
        return os.getcwd()
    except OSError:
        return ""


def error_state() -> dict[str, str]:
    """How NumPy tells of overflow, of a division by zero and the like in this process."""
    return {kind: str(how) for kind, how in np.geterr().items()}


def _functions() -> dict[tuple[ModuleType, str], Any]:
    """The public functions of modules that this project computes with."""
    named = ((module, name, value) for module in MODULES for name, value in vars(module).items())
    return {
        (module, name): value
        for module, name, value in named
        if callable(value)
        and not name.startswith("_")
        and (module is not builtins or name not in REPLACEABLE)
    }


def entry_points(*, group: str, name: str = "") -> list[metadata.EntryPoint]:
    """The entry points of a group, or those of a name in it; a distribution whose list of them is damaged is named, and left out."""
    try:
        found = list(metadata.entry_points(group=group))
    except Exception:  # anybody's distribution: the others are looked at one by one
        found = [point for each in metadata.distributions() for point in _points_of(each, group)]
    return [point for point in found if not name or point.name == name]


def _points_of(distribution: metadata.Distribution, group: str) -> list[metadata.EntryPoint]:
    try:
        return list(distribution.entry_points.select(group=group))
    except Exception as error:
        _say_damaged(str(getattr(distribution, "_path", "an installed distribution")), type(error).__name__)
        return []


@cache
def _say_damaged(place: str, why: str) -> None:
    """Once in a process."""
    print(
        f"conformance: the entry points of {place} cannot be read ({why}), so that its adapters and formats are left out; "
        "install it anew",
        file=sys.stderr,
    )
