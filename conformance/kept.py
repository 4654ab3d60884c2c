"""What depends on no engine, kept from run to run: the rows of a design, and what is expected of a case.

A function marked `kept` is computed from rows of the catalogue, cases and plain data alone. While a shelf is open, its
results are looked up there first; a shelf is one file, written as a whole when the scope ends. Which release of the
suite, and which processor, a shelf is of says the folder that it is in. Without a shelf everything is computed: the results are
the same, to the last bit.
"""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import os
import secrets
import zlib
from collections.abc import Callable, Iterator
from functools import lru_cache, wraps
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import numpy as np

from conformance.case import Case, decode, encode
from conformance.op import Op
from conformance.ops import ALL_OPS

Found = TypeVar("Found")
# Results of a function that a process remembers, shelf or not: more than a group of questions has.
REMEMBERED = 1024
LARGEST = 64_000_000  # bytes of one shelf, unpacked: some hundred times what an op has at the profile quick
QUICKLY = 1  # of zlib's levels: numbers pack badly, so that more effort is lost
# Tags of a record and of NumPy's numbers, beside those of `conformance.case.encode`.
RECORD, NUMBER = "r", "n"


class Unkept(Exception):
    """An argument that a shelf cannot name."""


class Shelf:
    """The results in one file, by what they are of."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._found = _read(path)
        self._has_new = False
        self._is_trusted = True
        self._beside: dict[str, Shelf] = {}

    def get(self, key: bytes) -> bytes | None:
        """What is there under a key."""
        return self._found.get(key)

    def put(self, key: bytes, value: bytes) -> None:
        """Note a result, to be written with the others."""
        self._found[key] = value
        self._has_new = True

    def beside(self, key: bytes) -> Shelf:
        """The shelf of one result that other scopes look up too."""
        name = f"shared-{key.hex()}"
        if name not in self._beside:
            self._beside[name] = Shelf(self.path.with_name(name))
        return self._beside[name]

    def distrust(self) -> None:
        """Write nothing: what these results were computed with was not what it should be."""
        self._is_trusted = False

    def write(self) -> None:
        """Write the file, where there is something new; a folder that takes none costs the results, and is no error."""
        if not self._is_trusted:
            return
        for shelf in self._beside.values():
            shelf.write()
        with contextlib.suppress(OSError, MemoryError):  # an engine may have left no memory to encode them in
            packed = msgspec.msgpack.encode(self._found) if self._has_new else b""
            if not packed or len(packed) > LARGEST:
                os.utime(self.path)  # it was of use: what was not for longest is removed first
                return
            self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            draft = self.path.with_name(f"{self.path.name}.{secrets.token_hex(4)}")
            try:
                draft.write_bytes(zlib.compress(packed, QUICKLY))
                draft.replace(self.path)  # as one step: another process reads the file before, or this one
            finally:
                draft.unlink(missing_ok=True)


def _read(path: Path) -> dict[bytes, bytes]:
    """The results in a file; none where it is not there, or is damaged, which zlib's checksum tells."""
    if not path.is_file():  # a pipe would be waited for
        return {}
    try:
        unpacking = zlib.decompressobj()
        packed = unpacking.decompress(path.read_bytes(), LARGEST)
        if not unpacking.eof:
            return {}
        return msgspec.msgpack.decode(packed, type=dict[bytes, bytes])
    except (OSError, zlib.error, msgspec.MsgspecError):
        return {}


_shelves: list[Shelf] = []  # the open one is the last
_remembering: list[Any] = []  # the functions that are marked


@contextlib.contextmanager
def opened(path: Path | None) -> Iterator[None]:
    """A scope in which results are looked up in a file, and written to it at the end; in none if there is no path."""
    if path is None:
        yield
        return
    shelf = Shelf(path)
    _shelves.append(shelf)
    try:
        yield
    finally:
        _shelves.remove(shelf)
        shelf.write()


def distrust() -> None:
    """Write nothing to the open shelf: an engine changed what results are computed with."""
    for shelf in _shelves:
        shelf.distrust()


def forget() -> None:
    """Compute anew what this process remembers."""
    for function in _remembering:
        function.cache_clear()


def kept(
    record: type | None = None, *, is_shared: bool = False
) -> Callable[[Callable[..., Found]], Callable[..., Found]]:
    """Mark a function whose results are kept: of rows, cases, arrays and plain data; of its parameters none may be an engine's.

    Args:
        record: the dataclass that results hold, if any; of fields that are arrays or plain data.
        is_shared: whether other scopes need a result too, so that it has a file of its own.
    """

    def marked(function: Callable[..., Found]) -> Callable[..., Found]:
        @lru_cache(maxsize=REMEMBERED)
        @wraps(function)
        def remembered(*args: Any, **named: Any) -> Found:
            key = _key(function, args, named) if _shelves else None
            if key is None:
                return function(*args, **named)
            shelf = _shelves[-1].beside(key) if is_shared else _shelves[-1]
            value = shelf.get(key)
            if value is None:
                found = function(*args, **named)
                shelf.put(key, msgspec.msgpack.encode(_plain(found)))
                return found
            kept_one: Found = _restored(msgspec.msgpack.decode(value), record)
            return kept_one

        _remembering.append(remembered)
        return remembered

    return marked


def _key(function: Callable[..., Any], args: tuple[Any, ...], named: dict[str, Any]) -> bytes | None:
    """A digest of a call; None where an argument is nothing that a later run could name again."""
    try:
        called = [
            function.__module__,
            function.__qualname__,
            _named(args),
            sorted(map(_named, named.items())),
        ]
        packed = msgspec.msgpack.encode(called)
    except (Unkept, TypeError):
        return None
    return hashlib.blake2b(packed, digest_size=16).digest()


def _named(value: Any) -> Any:
    """An argument as plain data by which a later run finds it again."""
    if isinstance(value, Op):
        if ALL_OPS.get(value.name) is not value:
            raise Unkept  # a row of a mutant's, or of a test's, has the name of another
        return {"op": value.name}
    if isinstance(value, Case):
        parameters = [[name, _named(chosen)] for name, chosen in sorted(value.parameters.items())]
        return [
            value.op,
            _named(value.operands),
            parameters,
            _named(value.cotangents),
            value.dtype,
            value.wrt,
        ]
    if isinstance(value, np.ndarray):
        return [value.dtype.str, value.strides, encode(value)]  # memory decides in which order NumPy sums
    if isinstance(value, (tuple, list)):
        return [type(value).__name__, *map(_named, value)]
    return encode(value)


def _plain(value: Any) -> Any:
    """A result as plain data."""
    if dataclasses.is_dataclass(value):
        return {RECORD: [_plain(getattr(value, field.name)) for field in dataclasses.fields(value)]}
    if isinstance(value, (tuple, list)):
        return {"t" if isinstance(value, tuple) else "l": [_plain(item) for item in value]}
    if isinstance(value, np.generic):
        return {NUMBER: encode(np.asarray(value))}
    return encode(value)


def _restored(value: Any, record: type | None) -> Any:
    """The result that `_plain` wrote."""
    if isinstance(value, dict):
        ((tag, body),) = value.items()
        if tag == RECORD and record is not None:
            return record(*(_restored(item, record) for item in body))
        if tag == NUMBER:
            return decode(body)[()]
        if tag in "tl":
            items = [_restored(item, record) for item in body]
            return tuple(items) if tag == "t" else items
    return decode(value)
