"""Faults of engines and adapters that are injected into one question, in process."""

from __future__ import annotations

import builtins
import gc
import math
import operator
import os
import random
import resource
import signal
import sys
import tempfile
import threading
import time
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from conformance.errors import UsageError

from .fault import TANH, Fault, class_of, doing, ending, forbidden, raising

TEXTS = {
    "an empty message": "",
    "a message of 50 MB": "x" * 50_000_000,
    "a message of a million lines": "a\n" * 1_000_000,
    "a NUL in a message": "a\0b",
    "an escape sequence in a message": "\x1b[2J",
    "a lone surrogate in a message": "\ud800",
    "a bidirectional override in a message": "\u202e",
    "markup in a message": "[red]<script>",
    "JSON in a message": '"}\n{"type":"end"',
    "a message in another script": "Ошибка 誤り",
}
EXCEPTIONS: list[type[BaseException]] = [
    *(ValueError, TypeError, ArithmeticError, ZeroDivisionError, OverflowError, FloatingPointError),
    *(IndexError, KeyError, StopIteration, RuntimeError, RecursionError, NotImplementedError, AssertionError),
    *(OSError, BrokenPipeError, FileNotFoundError, PermissionError, TimeoutError, ConnectionResetError),
    *(
        EOFError,
        BufferError,
        MemoryError,
        SystemError,
        ReferenceError,
        UnicodeError,
        Warning,
        DeprecationWarning,
    ),
    *(SystemExit, KeyboardInterrupt, GeneratorExit, BaseException, StopAsyncIteration),
]


class _Lying(Exception):
    """An exception that pretends to be of another class."""

    @property
    def __class__(self) -> Any:
        return SystemExit


class _Raising(Exception):
    """An exception whose class cannot be asked for."""

    @property
    def __class__(self) -> Any:
        raise RuntimeError("not to be asked")


class _Untraceable(Exception):
    """An exception without a traceback of its own."""

    @property
    def __traceback__(self) -> Any:
        raise RuntimeError("not to be asked")


class _Text(str):
    """A string that cannot be used."""

    __slots__ = ()
    __len__ = __getitem__ = __format__ = __iter__ = encode = forbidden


def _group() -> BaseException:
    return ExceptionGroup("several", [ValueError("one"), TypeError("two")])


def _chained() -> BaseException:
    error: BaseException = ValueError("0")
    for number in range(5000):
        error.__context__, error = ValueError(str(number)), error.__context__ or error
    return error


def _alarm() -> None:
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_REAL, 0.5)


def _lose_folder() -> None:
    folder = tempfile.mkdtemp()
    os.chdir(folder)
    os.rmdir(folder)


def _leak_descriptors() -> None:
    for _ in range(100):
        os.open(os.devnull, os.O_RDONLY)


def _limit_descriptors() -> None:
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (3, hard))


def _leak_threads() -> None:
    for _ in range(20):
        threading.Thread(target=time.sleep, args=(2,), daemon=True).start()


def _recurse(depth: Any = None) -> Any:
    return _recurse(depth)


def _limit_recursion() -> None:
    frame, depth = sys._getframe(), 0
    while frame is not None:
        frame, depth = frame.f_back, depth + 1  # type: ignore[assignment]
    sys.setrecursionlimit(depth + 25)
    raise ValueError("few calls are left")


def _closed_output() -> None:
    sys.stdout = open(os.devnull, "w", encoding="ascii")  # noqa: SIM115 - and left open
    sys.stdout.close()


def _set(module: Any, name: str, value: Any) -> Any:
    return doing(lambda: setattr(module, name, value))


def identity(*given: Any, **_: Any) -> Any:
    """What patched functions are replaced by."""
    return given[0] if given else None


class _Wrong(float):
    """A number that is no array."""


PATCHES = [
    *(
        (np, name)
        for name in (
            "abs",
            "max",
            "isnan",
            "allclose",
            "asarray",
            "array",
            "where",
            "sum",
            "zeros",
            "errstate",
        )
    ),
    *(
        (builtins, name)
        for name in ("abs", "len", "isinstance", "float", "sum", "zip", "print", "open", "sorted")
    ),
    *((math, name) for name in ("isfinite", "sqrt", "exp")),
    *((operator, "mul"), (random, "random"), (np.linalg, "norm")),
]

CLOCKS = ("monotonic", "time", "perf_counter")
LOST = "the engine replaced sys.modules["


def _lose_modules(root: str) -> None:
    for name in list(sys.modules):
        if not root or name.partition(".")[0] == root:
            del sys.modules[name]


def _set_module(name: str) -> Callable[[Any], None]:
    return doing(lambda: sys.modules.update({name: ModuleType(name)}))


def _set_all(module: ModuleType, names: Sequence[str], function: Any) -> None:
    for name in names:
        setattr(module, name, function)


def _hook_imports() -> None:
    """Once for the process: the builtins' private names are an engine's to replace."""
    right = builtins.__import__
    if getattr(right, "__name__", "") != "hooked":

        def hooked(*given: Any, **named: Any) -> Any:
            return right(*given, **named)

        builtins.__import__ = hooked


FAULTS = [
    *(Fault(f"{error.__name__} is raised", raising(error), says=error.__name__) for error in EXCEPTIONS),
    *(Fault(name, raising(ValueError, text), says="ValueError: ") for name, text in TEXTS.items()),
    Fault("__str__ raises", raising(class_of(__str__=forbidden)), says="RuntimeError in its __str__"),
    Fault("__str__ ends the process", raising(class_of(__str__=ending)), says="SystemExit in its __str__"),
    Fault(
        "__str__ returns no string",
        raising(class_of(__str__=lambda self: 3)),
        says="TypeError in its __str__",
    ),
    Fault("__str__ returns a string that cannot be used", raising(class_of(__str__=lambda self: _Text("a")))),
    Fault("__str__ recurses for ever", raising(class_of(__str__=lambda self: str(self)))),
    Fault("__repr__ raises", raising(class_of(__repr__=forbidden))),
    Fault("__repr__ ends the process", raising(class_of(__repr__=ending))),
    Fault("__getattribute__ raises", raising(class_of(__getattribute__=forbidden))),
    Fault("__getattr__ ends the process", raising(class_of(__getattr__=ending))),
    Fault("__eq__ raises", raising(class_of(__eq__=forbidden, __hash__=None))),
    Fault("__class__ is another", raising(_Lying), says="_Lying"),
    Fault("__class__ raises", raising(_Raising)),
    Fault("__traceback__ raises", raising(_Untraceable), says="_Untraceable"),
    Fault("an exception group", raising(_group()), says="several (2 sub-exceptions)"),
    Fault("a chain of 5000 exceptions", raising(_chained())),
    Fault("recursion without end", _recurse, says="RecursionError"),
    Fault("an exception of this project's", raising(UsageError("mine")), "adapter_error", "mine"),
    Fault("an answer of the wrong class", lambda x: _Wrong(0.0), "adapter_error"),
    Fault("an answer that is text", lambda x: "0.0", "adapter_error"),
    Fault("an answer of the wrong shape", lambda x: TANH(x).sum(), "error"),
    Fault("an alarm is set", doing(_alarm), "pass"),
    Fault(
        "the alarm's handler is replaced",
        doing(lambda: signal.signal(signal.SIGALRM, signal.SIG_IGN)),
        "pass",
    ),
    Fault("the working folder is removed", doing(_lose_folder), "pass"),
    Fault("the working folder is left", doing(lambda: os.chdir("/")), "pass"),
    Fault("a hundred descriptors leak", doing(_leak_descriptors), "pass"),
    Fault("no descriptor can be opened", doing(_limit_descriptors), "pass"),
    Fault("twenty threads leak", doing(_leak_threads), "pass"),
    Fault("NumPy's errors raise", doing(lambda: np.seterr(all="raise")), "pass"),
    Fault("NumPy's errors call", doing(lambda: np.seterrcall(forbidden)), "pass"),
    Fault("warnings are errors", doing(lambda: warnings.simplefilter("error")), "pass"),
    Fault("warnings are reset", doing(warnings.resetwarnings), "pass"),
    Fault("standard output is replaced", _set(sys, "stdout", None), "pass"),
    Fault("standard output is closed", doing(_closed_output), "pass"),
    Fault("standard error is replaced", _set(sys, "stderr", None), "pass"),
    Fault("the environment is emptied", doing(os.environ.clear), "pass"),
    Fault("the recursion limit is raised", doing(lambda: sys.setrecursionlimit(100_000)), "pass"),
    Fault("the recursion limit is lowered", doing(_limit_recursion), says="few calls are left"),
    Fault("garbage is collected no more", doing(gc.disable), "pass"),
    Fault("a trace function is set", doing(lambda: sys.settrace(lambda *_: None)), "pass"),
    Fault("a profile function is set", doing(lambda: sys.setprofile(lambda *_: None)), "pass"),
    Fault("NumPy prints differently", doing(lambda: np.set_printoptions(precision=1)), "pass"),
    Fault("the seed is set", doing(lambda: (random.seed(0), np.random.seed(0))), "pass"),
    Fault("10 MB are printed", doing(lambda: print("x" * 10_000_000)), "pass"),
    Fault("sys.path is emptied", doing(sys.path.clear), "pass"),
    Fault("the core's modules are lost", doing(lambda: _lose_modules("conformance")), "fail", LOST),
    Fault("all modules are lost", doing(lambda: _lose_modules("")), "fail", LOST),
    Fault("a module of the core is another", _set_module("conformance.errors"), "fail", LOST),
    Fault("the clock stands still", doing(lambda: _set_all(time, CLOCKS, lambda: 0.0)), "pass"),
    Fault("the clock raises", doing(lambda: _set_all(time, CLOCKS, forbidden)), "pass"),
    Fault(
        "files cannot be written", doing(lambda: _set_all(os, ("open", "write", "pwrite"), forbidden)), "pass"
    ),
    Fault("imports are hooked", doing(_hook_imports), "pass"),
    Fault("a file is written", doing(lambda: Path("left").write_text("x")), "pass"),
    *(
        Fault(f"{m.__name__}.{n} is replaced", _set(m, n, identity), "fail", f"replaced {m.__name__}.{n}")
        for m, n in PATCHES
    ),
]
