"""The suite's cache folder: what engines compiled, and what depends on no engine, is kept there for later runs, bounded in size.

It holds nothing that a run depends on: without it, or where parts of it are damaged, all is computed again. A folder is of
one release of an engine, or of one state of the suite, on one kind of processor: machine code of another may not run, and
another rounds sums in another way.
"""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import os
import platform
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

import conformance
from conformance.backend import Backend
from conformance.questions import Item

SWITCH = "CONFORMANCE_NO_CACHE"  # the environment variable that switches it off, for child processes too
PARTS = ("compiled", "expected")  # folders of the cache
LARGEST = 2 * 2**30  # bytes
KEPT = 0.75  # of them, where what was used last is kept


def root() -> Path:
    """The folder of all caches, whether or not it is there."""
    home = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(home) if Path(home).is_absolute() else Path.home() / ".cache") / "autograd-conformance"


def is_on() -> bool:
    """Whether anything may be kept."""
    return os.environ.get(SWITCH, "").lower() in ("", "0", "false", "no")


def unusable() -> str:
    """Why nothing can be kept, though it may be; empty where it can. Nothing is made for that."""
    if not is_on():
        return ""
    for folder in (root() / part for part in PARTS):
        place = next(parent for parent in (folder, *folder.parents) if os.path.lexists(parent))
        if not place.is_dir():
            return f"{place} is no folder; XDG_CACHE_HOME names another"
        if not os.access(place, os.W_OK | os.X_OK):
            return f"{place} may only be read; XDG_CACHE_HOME names another"
    return ""


@contextlib.contextmanager
def switched_off(*, is_wanted: bool) -> Iterator[None]:
    """A scope in which nothing is kept, here and in processes that are started, if that `is_wanted`."""
    before = os.environ.get(SWITCH)
    if is_wanted:
        os.environ[SWITCH] = "1"
    try:
        yield
    finally:
        if is_wanted and before is None:
            del os.environ[SWITCH]
        elif before is not None:
            os.environ[SWITCH] = before


def keep_compiled(backend: Backend) -> str:
    """Let a backend keep what it compiles; returns why it cannot, empty where it can or has nothing to keep."""
    if not is_on() or type(backend).keep_compiled is Backend.keep_compiled:
        return ""
    folder = root() / "compiled" / f"{backend.engine}-{backend.version()}-{_processor()}"
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        return f"{folder}: {error.strerror}"
    return backend.keep_compiled(str(folder))


def shelf(item: Item, profile: str, seed: int) -> Path | None:
    """The file for what is expected of the questions of an item's scope, whichever engine they are put to; None where it is off."""
    if not is_on():
        return None
    asked = f"{item.scope.removeprefix(f'{item.backend}/')} {profile} {seed}"
    return root() / "expected" / _state() / hashlib.sha256(asked.encode()).hexdigest()[:24]


@cache
def _state() -> str:
    """A digest of the suite's source and of what it computes with, and the processor."""
    digest = hashlib.sha256(f"{sys.version} {np.__version__} {platform.libc_ver()}".encode())
    package = Path(conformance.__file__).parent
    for path in sorted(package.rglob("*.py")):
        digest.update(f"\n{path.relative_to(package).as_posix()}\n".encode() + path.read_bytes())
    return f"{digest.hexdigest()[:12]}-{_processor()}"


@cache
def _processor() -> str:
    """A short digest of what the processor is and can do."""
    distinguishing = ("model name", "flags", "Features", "CPU part")
    lines: set[str] = {platform.machine(), platform.processor()}
    with contextlib.suppress(OSError):
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
        lines |= {line for line in text.splitlines() if line.startswith(distinguishing)}
    return hashlib.sha256("\n".join(sorted(lines)).encode()).hexdigest()[:8]


# ---- how large it is ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class Kept:
    """One file of a cache."""

    path: Path
    size: int
    used: float  # when it was written or, where the file system notes that, read last


def kept(folder: Path) -> Iterator[Kept]:
    """The files below a folder; those that another process removes meanwhile are left out."""
    for path in folder.rglob("*"):
        with contextlib.suppress(OSError):
            status = path.stat()
            if path.is_file():
                yield Kept(path, status.st_size, max(status.st_mtime, status.st_atime))


def own() -> Iterator[Kept]:
    """What this suite has put into its folder, which may be a link to one that has other files, too."""
    return itertools.chain.from_iterable(kept(root() / part) for part in PARTS)


def trim(largest: float = LARGEST) -> int:
    """Remove what was not used for longest where the cache is too large; returns the bytes removed."""
    files = sorted(own(), key=lambda file: file.used)
    total = sum(file.size for file in files)
    excess = total - KEPT * largest if total > largest else 0
    removed = 0
    for file in files:
        if removed >= excess:
            break
        with contextlib.suppress(OSError):
            file.path.unlink(missing_ok=True)
            removed += file.size
    return removed


def clear() -> int:
    """Remove the cache; returns the bytes removed. Raises OSError where that is not allowed."""
    removed = sum(file.size for file in own())
    for part in PARTS:
        if (root() / part).exists():
            shutil.rmtree(root() / part)
    with contextlib.suppress(OSError):  # it has something else, or is not there
        root().rmdir()
    return removed
