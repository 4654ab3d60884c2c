"""Writing a run file: beside its place while the run goes on, and there when it is finished.

A file that is there already is never overwritten unless that is asked for: it gets a number.
"""

from __future__ import annotations

import contextlib
import errno
import itertools
import os
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from conformance.errors import UsageError
from conformance.runfile.jsonl import encode
from conformance.runfile.records import Line, ResultLine, RunLine
from conformance.runfile.whole import is_stream, no_folder, place_of

PART = ".part"  # added to the name of a file that is being written


class RunWriter:
    """Writes a run file line by line, flushed.

    Attributes:
        path: where the file will be; its lines are in `part` until it is closed.
        moved: what the file is called now that had this name before.
    """

    def __init__(
        self, path: Path, header: RunLine, *, force: bool = True, beside: Path | None = None
    ) -> None:
        """Begin the file at `path`; without `force`, a file that is there is kept; never in the file `beside`.

        Raises UsageError where the file cannot be written, or another run is writing it.
        """
        self.force, self.results, self._beside = force, 0, beside
        self.moved: Path | None = None
        try:
            path = _place_of(path)
            path.parent.mkdir(parents=True, exist_ok=True)
            self.path, self.part, descriptor = _opened(path, force=force, beside=beside)
        except OSError as error:
            why = no_folder(path) or error.strerror
            raise UsageError(f"cannot write the run file {path}: {why}") from None
        self.file: BinaryIO = os.fdopen(descriptor, "wb")
        self._lines: list[Line] = []  # those in the file
        self._size = 0  # of the file, in bytes
        try:
            self.write(header)
        except OSError as error:
            self.discard()
            raise UsageError(f"cannot write the run file {path}: {error.strerror}") from None

    def write(self, line: Line) -> None:
        """Append one line; it is on its way to the disk when this returns. Raises OSError where that is full."""
        if self._is_cut():
            self._restore()
        self._append(line)
        self._lines.append(line)
        self.results += isinstance(line, ResultLine)

    def _append(self, line: Line) -> None:
        text = f"{encode(line)}\n".encode()
        try:
            self.file.write(text)
            self.file.flush()
        except OSError as error:
            raise type(error)(error.errno, error.strerror, str(self.part)) from None
        self._size += len(text)

    def _is_cut(self) -> bool:
        """Whether somebody else has shortened the file, or written into it."""
        return self.part != self.path and os.fstat(self.file.fileno()).st_size != self._size

    def _restore(self) -> None:
        """Write every line again, over what is there: a disk that is full meanwhile still has the old ones."""
        os.lseek(self.file.fileno(), 0, os.SEEK_SET)
        self._size = 0
        for line in self._lines:
            self._append(line)
        os.ftruncate(self.file.fileno(), self._size)

    def close(self) -> None:
        """Close the file, and give it its name; what was there before gets a number, unless it is replaced by request.

        A file without results replaces nothing: then it is the one that gets the number, or, where it is what resumes
        the other, is dropped.
        """
        if self._is_cut():
            self._restore()
        if self.part != self.path:
            self._write_again()
        self.file.close()
        if self.part == self.path:
            return
        if self.path.exists() and not self.results:
            if self._beside and self._beside.resolve() == self.path.resolve():
                self.discard()
                return
            self.path = _free(self.path)
        elif self.path.exists() and not self.force:
            self.moved = _free(self.path)
            os.rename(self.path, self.moved)
        os.replace(self.part, self.path)

    def discard(self) -> None:
        """Close the file and remove it: what it has stands elsewhere."""
        with contextlib.suppress(OSError):
            self.file.close()
        if self.part != self.path:
            self.part.unlink(missing_ok=True)

    def abandon(self) -> None:
        """Close the file as it is, under its provisional name: it cannot be finished."""
        with contextlib.suppress(OSError):
            if self.part != self.path and not self.file.closed:
                self._write_again()
        with contextlib.suppress(OSError):
            self.file.close()
        self.path = self.part

    def _write_again(self) -> None:
        """Copy what was written, where somebody has removed or renamed the file meanwhile: it is still there for who has it open."""
        descriptor = self.file.fileno()
        with contextlib.suppress(OSError):
            if os.path.samestat(os.fstat(descriptor), self.part.stat()):
                return
        self.part.parent.mkdir(parents=True, exist_ok=True)
        if self.part.exists():  # of another run, which has taken the name
            self.part = _free(self.part)
        os.lseek(descriptor, 0, os.SEEK_SET)
        with self.part.open("xb") as copy:
            while chunk := os.read(descriptor, 1 << 20):
                copy.write(chunk)


def names_from(path: Path) -> Iterator[Path]:
    """The path, and then the same with numbers: run.jsonl, run-2.jsonl, run-3.jsonl."""
    yield path
    for number in itertools.count(2):
        yield path.with_name(f"{path.stem}-{number}{path.suffix}")


def _free(path: Path) -> Path:
    """The first of a path's numbered names that no file has."""
    return next(name for name in names_from(path) if not name.exists())


def _place_of(path: Path) -> Path:
    """What a link stands for, so that the link stays; OSError where that is the link itself."""
    place = place_of(path) if path.is_symlink() else path
    if place.is_symlink() and not is_stream(place):
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
    return place


def _opened(path: Path, *, force: bool, beside: Path | None) -> tuple[Path, Path, int]:
    """The path, its provisional name and the descriptor that it is written to."""
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if is_stream(path):
        descriptor = os.open(
            path, os.O_WRONLY | getattr(os, "O_NONBLOCK", 0)
        )  # a pipe that nobody reads is waited for otherwise
        os.set_blocking(descriptor, True)
        return path, path, descriptor
    if force:
        part = path.with_name(path.name + (f".resumed{PART}" if beside else PART))
        descriptor = os.open(part, os.O_RDWR | os.O_CREAT, 0o666)
        _lock(descriptor, path)
        os.ftruncate(descriptor, 0)
        return path, part, descriptor
    is_live = False  # whether another run is writing what shall be called so
    for name in names_from(path):
        part = name.with_name(name.name + PART)
        try:
            descriptor = os.open(part, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o666)
        except FileExistsError:  # of a run that goes on, or of one that was killed, which can be resumed
            is_live = is_live or is_being_written(part)
            continue
        _lock(descriptor, name)
        return name if is_live else path, part, descriptor
    raise AssertionError  # the names do not end


def is_being_written(part: Path) -> bool:
    """Whether a run that goes on is writing the file."""
    try:
        descriptor = os.open(part, os.O_RDONLY)
    except OSError:  # of somebody else, perhaps: a name that is not to be taken
        return True
    try:
        _lock(descriptor, part)
    except UsageError:
        return True
    os.close(descriptor)
    return False


def _lock(descriptor: int, path: Path) -> None:
    """Hold the file against a second writer; on systems without such locks there is none."""
    try:
        import fcntl
    except ImportError:
        return
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        raise UsageError(
            f"another run is writing {path}; wait for its end, or give this one a file of its own: -o FILE"
        ) from None
