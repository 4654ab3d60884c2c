"""Writing a file whole or not at all: a full disk, or a process that ends, leaves what was there."""

from __future__ import annotations

import contextlib
import errno
import io
import os
import stat
from functools import cache
from pathlib import Path
from typing import IO

HAS_NO_ROOM_BESIDE = (
    errno.EACCES,
    errno.EPERM,
    errno.EROFS,
    errno.EBUSY,
)  # only the file itself may be written

OPENED = ("/dev/stdin", "/dev/fd/", "/proc/self/fd/")  # paths of what this process has open already
ENDLESS = (
    (stat.S_ISFIFO, "a named pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)
FULL = (
    errno.ENOSPC,
    errno.EDQUOT,
    errno.EFBIG,
)  # a reader that is gone wants no more, but a disk was to have it all

MOST_OF_STREAM = 2**30  # bytes, which are kept


def write_whole(path: Path, text: str) -> None:
    """Write a text in UTF-8 in place of what is there, with its permissions, in a folder that is made where it is not there.

    Raises OSError that names the path.
    """
    encoded = text.encode("utf-8", errors="backslashreplace")
    place = place_of(path)
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        if place.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        if is_stream(place):
            place.write_bytes(encoded)
        else:
            _replace(place, encoded)
    except OSError as error:
        raise type(error)(error.errno, no_folder(place) or error.strerror, str(path)) from None


def place_of(path: Path) -> Path:
    """What a link stands for, so that the link stays; of a device or a pipe the path that is given: /dev/stdout leads to no other."""
    return path if is_stream(path) else Path(os.path.realpath(path))


def is_stream(path: Path) -> bool:
    """Whether there is a device or a pipe, which is written to and not replaced."""
    return path.exists() and not path.is_file() and not path.is_dir()


def hold_readable(path: Path) -> None:
    """Raise OSError for what reading may never end of: a named pipe that nobody writes, a socket, a device.

    What a shell opens for this process, such as `<(command)` or /dev/stdin, is written by somebody.
    """
    with contextlib.suppress(FileNotFoundError):
        mode = path.stat().st_mode
        is_opened = os.path.abspath(path).startswith(OPENED)
        what = next((name for is_kind, name in ENDLESS if is_kind(mode)), "")
        if what and not is_opened and path != Path(os.devnull):
            raise OSError(errno.EINVAL, f"it is {what}, where a file is expected", str(path))


def opened(path: Path) -> IO[bytes]:
    """A file to be read; what is a stream, such as /dev/stdin, gives what it gave the first time. Raises OSError."""
    hold_readable(path)
    return io.BytesIO(_once(path)) if is_stream(path) else path.open("rb")


@cache
def _once(path: Path) -> bytes:
    with path.open("rb") as file:
        found = file.read(MOST_OF_STREAM)
    if len(found) == MOST_OF_STREAM:  # it may never end
        raise OSError(
            errno.EFBIG, f"it gives more than {MOST_OF_STREAM} bytes: write them to a file", str(path)
        )
    return found


def _replace(place: Path, encoded: bytes) -> None:
    part = place.with_name(f"{place.name}.{os.getpid()}.part")
    try:
        part.write_bytes(encoded)
        if place.exists():
            part.chmod(place.stat().st_mode)
        os.replace(part, place)
    except OSError as error:
        with contextlib.suppress(OSError):
            part.unlink()
        if error.errno not in HAS_NO_ROOM_BESIDE or not place.exists():
            raise
        place.write_bytes(encoded)


def no_folder(place: Path) -> str:
    """Which of the folders that a file is to be written to is a file itself; empty where none is."""
    with contextlib.suppress(OSError):
        return next((f"{p} is a file, not a folder" for p in place.parents if p.is_file()), "")
    return ""
