"""Whose an exception is: the engine's, the adapter's, or this project's own.

An exception is attributed by where it was raised, and never trusted: its text, its class and its traceback are read
without running its own methods where that is possible, and within a guard where it is not.
"""

from __future__ import annotations

import dis
import enum
import os
import re
import sys
import sysconfig
import traceback
from collections.abc import Iterator
from pathlib import Path
from types import FrameType, TracebackType

import conformance
import conformance.backend
import conformance.parameters
import conformance.returned
from conformance.errors import text_of

DEEPEST = 5_000  # frames of a traceback that are looked at; some engines need a thousand
OURS = str(Path(conformance.__file__).parent) + os.sep
# Every call of an engine passes through these, those of C functions too.
BOUNDARY = (conformance.backend.__file__, conformance.parameters.__file__, conformance.returned.__file__)
STANDARD_LIBRARY = tuple({sysconfig.get_path(name) + os.sep for name in ("stdlib", "platstdlib")})
CALLED_BY_ALL = (
    "numpy",
    "hypothesis",
    "msgspec",
    "ml_dtypes",
    "_pytest",
    "pluggy",
)  # says nothing of who is wrong


BUILTIN = "'(?:int|float|bool|str|list|tuple|dict|NoneType|slice|ellipsis)'"
PYTHON_VALUES = re.compile(  # what TypeErrors say of them
    f"{BUILTIN} object (?:is not|has no|does not|cannot)"
    "|non-iterable (?:int|float|bool|NoneType|ellipsis|function|method|coroutine) object"
    f"|unsupported operand type.*: {BUILTIN} and {BUILTIN}|between instances of {BUILTIN} and {BUILTIN}"
    "|(?:tuple|list|string) indices must be|can only concatenate|Value after [*]+ must be"
)
OF_A_LIST = re.compile(r"^(?:list|tuple|string)(?: assignment)? index out of range$")  # what IndexErrors say
UNPACKED = re.compile(
    r"^(?:too many|not enough) values to unpack \(expected "
)  # what ValueErrors say of them
CALLED_WRONGLY = re.compile(  # what TypeErrors say of a call that does not fit what is called
    r"\(\) (?:takes (?:no|exactly|at most|at least|from|\d+|one)\b.* arguments?\b|got an unexpected keyword argument|"
    r"got multiple values for argument|missing \d+ required )"
)


class Origin(enum.Enum):
    """Who raised an exception."""

    ENGINE = enum.auto()  # or its adapter
    CALLBACK = enum.auto()  # our function, which the engine called with what it chose
    OURS = enum.auto()


def origin_of(failure: BaseException) -> Origin:
    """Who raised it: the innermost frame decides that is not of a library that all sides call.

    Where calls nest too deeply, whoever is called last raises it: most of the frames are of who nests them.
    """
    files = [file for file in files_of(failure) if not _is_neutral(file)]
    if issubclass(type(failure), RecursionError) and 2 * sum(map(_is_ours, files)) < len(files):
        return Origin.ENGINE
    if not files or not _is_ours(files[-1]) or is_misfit_of_adapter(failure):
        return Origin.ENGINE
    return Origin.OURS if all(map(_is_ours, files)) else Origin.CALLBACK


def is_defect(failure: BaseException) -> bool:
    """Whether it is a defect of this project; where memory ends while it copies what an engine made, it is none."""
    return origin_of(failure) is Origin.OURS and not issubclass(type(failure), MemoryError)


def is_about_python_values(failure: BaseException) -> bool:
    """Whether an error is about Python's own values, and was raised by no call: a line that mistakes a parameter.

    `for pair in 2` is one, `(output,) = outputs` where there are two, and `places[axis]` where there are fewer. A call is none: what it calls may be the
    engine's C function, which says the same.
    """
    said = {TypeError: PYTHON_VALUES, ValueError: UNPACKED, IndexError: OF_A_LIST}
    patterns = [pattern for kind, pattern in said.items() if isinstance(failure, kind)]
    if not any(pattern.search(text_of(failure)) for pattern in patterns):
        return False
    last = traceback_of(failure)
    while last is not None and last.tb_next is not None:
        last = last.tb_next
    if last is None:
        return False
    names = {i.offset: i.opname for i in dis.get_instructions(last.tb_frame.f_code)}
    return "CALL" not in names.get(last.tb_lasti, "CALL")  # PRECALL, where a warm call fails in Python 3.11


def is_about_the_call(failure: BaseException) -> bool:
    """Whether a TypeError says that arguments do not fit what is called: it is raised by the line that calls."""
    return isinstance(failure, TypeError) and bool(CALLED_WRONGLY.search(text_of(failure)))


def is_misfit_of_adapter(failure: BaseException) -> bool:
    """Whether a TypeError says that a call does not fit a method which an adapter defines: the protocol's calls are ours.

    Python names the method as its class does, and raises where it is called, so that no frame is the adapter's.
    """
    if not issubclass(type(failure), TypeError) or not is_about_the_call(failure):
        return False
    owner = text_of(failure).partition("(")[0].rpartition(".")[0]
    return owner in {adapter.__qualname__ for adapter in _adapters(conformance.backend.Backend)}


def _adapters(kind: type) -> Iterator[type]:
    """The classes that are made of a class of the protocol's, at any depth."""
    made: type
    for made in type.__subclasses__(kind):
        if made.__module__.partition(".")[0] != conformance.__name__:
            yield made
        yield from _adapters(made)


def files_of(failure: BaseException) -> list[str]:
    """The files of its frames, the outermost first; of code that a module made by `exec`, that module's."""
    return [_file_of(frame) for frame, _ in traceback.walk_tb(traceback_of(failure))]


def _file_of(frame: FrameType) -> str:
    """Its file; an engine may write its functions by a template, whose frames are of `<string>` and of its module."""
    file, name = frame.f_code.co_filename, frame.f_globals.get("__name__")
    if not file.startswith("<") or type(name) is not str:
        return file
    made_in = getattr(sys.modules.get(name), "__dict__", {}).get("__file__")
    return made_in if type(made_in) is str and not _is_ours(made_in) else file


def functions_of(failure: BaseException) -> list[tuple[str, str]]:
    """File and function of its frames, the outermost first."""
    return [(f.f_code.co_filename, f.f_code.co_name) for f, _ in traceback.walk_tb(traceback_of(failure))]


def traceback_of(failure: BaseException) -> TracebackType | None:
    """Its traceback, past whatever its class makes of the attribute."""
    found: TracebackType | None = vars(BaseException)["__traceback__"].__get__(failure)
    return found


def cut_traceback(failure: BaseException) -> None:
    """Drop the innermost frames of calls that nest without end: they hold memory, and say the same as those before."""
    last, length = traceback_of(failure), 1
    while last is not None and length < DEEPEST:
        last, length = last.tb_next, length + 1
    if last is not None:
        last.tb_next = None


def trail_of(failure: BaseException) -> str:
    """Its traceback as text: places only, since the lines themselves may be of anybody's file."""
    places = (
        f"  {_short(frame.f_code.co_filename)}:{number} in {frame.f_code.co_name}"
        for frame, number in traceback.walk_tb(traceback_of(failure))
    )
    return "\n".join(places)


def _short(file: str) -> str:
    return f"conformance/{file.removeprefix(OURS)}" if file.startswith(OURS) else file


def _is_ours(file: str) -> bool:
    return file.startswith(OURS) and file not in BOUNDARY


def _is_neutral(file: str) -> bool:
    return file.startswith("<") or any(_libraries(file))


def _libraries(file: str) -> Iterator[bool]:
    parts = Path(file).parts
    is_installed = "site-packages" in parts
    yield file.startswith(STANDARD_LIBRARY) and not is_installed
    yield is_installed and parts[parts.index("site-packages") + 1].partition(".")[0] in CALLED_BY_ALL
