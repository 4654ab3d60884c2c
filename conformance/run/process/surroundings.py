"""Surroundings: what an engine finds in its process, and must leave as it was.

A question that removes the working folder, sets an alarm or replaces a function of NumPy would spoil the questions after
it, and the reference with them. What can be put back is put back; what a wrong answer could hide behind is reported.
"""

from __future__ import annotations

import builtins
import contextlib
import gc
import math
import operator
import os
import random
import signal
import sys
import threading
import time
import warnings
from collections.abc import Sequence
from types import ModuleType
from typing import Any

import numpy as np

from conformance.errors import Violation

try:
    import resource
except ImportError:  # Windows has none
    resource = None  # type: ignore[assignment]

# Modules that the references, the oracle and the checks compute with.
TRUSTED: tuple[ModuleType, ...] = (builtins, math, operator, random, np, np.linalg, np.fft, np.random)
# Modules without which this process cannot go on, whoever computes: they are put back, and nobody is blamed.
NEEDED: tuple[ModuleType, ...] = (time, os)
# What is imported anew where `sys.modules` has lost it, and is then another module of that name.
REPLACED = frozenset({"conformance", "numpy"})  # engines may have reasons to put others in place of others
FEW = 3  # modules that are named where all are lost
IMPORTED = frozenset(
    {"conformance", "numpy", "ml_dtypes", "msgspec", "hypothesis", "pytest", "_pytest", "pluggy"}
)
TIMERS = tuple(
    getattr(signal, name)
    for name in ("ITIMER_REAL", "ITIMER_VIRTUAL", "ITIMER_PROF")
    if hasattr(signal, name)
)
SIGNALS = tuple(
    getattr(signal, name)
    for name in ("SIGALRM", "SIGINT", "SIGTERM", "SIGCHLD", "SIGFPE", "SIGUSR1")
    if hasattr(signal, name)
)
LIMITED = tuple(
    getattr(resource, f"RLIMIT_{name}")
    for name in ("NOFILE", "FSIZE", "NPROC", "AS", "CPU")
    if hasattr(resource, f"RLIMIT_{name}")
)


Watched = tuple[ModuleType, dict[str, Any], dict[str, Any]]  # a module, its names now, and as they were


class Replaced(Violation):
    """An engine replaced functions that the references compute with, so that a wrong answer may look right."""

    def __init__(self, names: Sequence[str]) -> None:
        super().__init__(
            f"the engine replaced {', '.join(names)} for the whole process: no answer compared since then can be trusted"
        )


class Surroundings:
    """How this process is now, to be restored after each question."""

    def __init__(self) -> None:
        self._modules = [(module, vars(module), dict(vars(module))) for module in TRUSTED]
        self._needed = [(module, vars(module), dict(vars(module))) for module in NEEDED]
        self._all: dict[str, ModuleType] = {}  # that are imported
        self._print_options = np.get_printoptions()
        self._environment = dict(os.environ)
        self._streams = (sys.stdout, sys.stderr, sys.stdin)
        self._limit = sys.getrecursionlimit()
        self._hooks = (sys.gettrace(), sys.getprofile())
        self._has_gc = gc.isenabled()
        self._folder = _folder()
        self._limits = _limits()
        self._replaced: list[str] = []
        self._is_main = threading.current_thread() is threading.main_thread()
        self._handlers = {number: signal.getsignal(number) for number in SIGNALS}
        self._put_modules_back()
        self.enter()

    def enter(self) -> None:
        """Note what a scope has set that is entered just now: NumPy's error state, the filters of warnings.

        An engine may have raised the recursion limit when it was imported.
        """
        self._limit = max(self._limit, sys.getrecursionlimit())
        self._errors = np.geterr()
        self._filters = list(warnings.filters)

    def put_back(self) -> None:
        """Put back what the next check of a question needs, as far as that is quick to look at."""
        self._replaced += _put_functions_back(
            self._modules[:1]
        )  # without Python's own nothing else can be done
        _put_functions_back(self._needed[:1])
        if len(sys.modules) < len(self._all):
            self._put_modules_back()
        if sys.getrecursionlimit() != self._limit:  # first: what follows calls functions
            sys.setrecursionlimit(self._limit)
        np.seterr(**self._errors)
        if warnings.filters != self._filters:
            warnings.filters[:] = self._filters  # type: ignore[index]
            getattr(warnings, "_filters_mutated", lambda: None)()
        sys.stdout, sys.stderr, sys.stdin = self._streams
        if (sys.gettrace(), sys.getprofile()) != self._hooks:
            sys.settrace(self._hooks[0])
            sys.setprofile(self._hooks[1])
        for timer in TIMERS:
            if signal.getitimer(timer)[0]:
                signal.setitimer(timer, 0)

    def put_back_more(self) -> None:
        """Put back also the folder, the limits, and functions of all modules.

        A thousand names are looked at, which takes the processor's cache as well as its time: once for a question, or
        where a check failed, and not after each check.
        """
        self._replaced += _put_functions_back(self._modules)
        self.put_back()
        self.put_needed_back()
        self.put_place_back()

    def put_place_back(self) -> None:
        """Put back the folder and the limits: an adapter has no use for others, though it may set all else when it is imported."""
        if self._folder and _folder() != self._folder:
            self._restore_folder()
        if _limits() != self._limits:
            self._restore_limits()

    def take_replaced(self) -> list[str]:
        """The names of the functions that were found replaced since this was called last.

        An answer that was compared while they were replaced says nothing.
        """
        names, self._replaced = self._replaced, []
        return names

    def put_needed_back(self) -> None:
        """Put back the clock, the functions of the system, and modules that are imported no more."""
        _put_functions_back(self._needed)
        self._put_modules_back()

    def _put_modules_back(self) -> None:
        """Put back what `sys.modules` has lost; of the core and NumPy, also what stands there in place of them."""
        if sys.modules == self._all:
            return
        lost = {
            name: module
            for name, module in self._all.items()
            if name not in sys.modules or (sys.modules[name] is not module and _root(name) in REPLACED)
        }
        sys.modules.update(lost)
        self._replaced += [f"sys.modules[{name!r}]" for name in sorted(filter(_is_watched, lost))[:FEW]]
        self._all = dict(sys.modules)  # what was imported late is known from now on

    def put_all_back(self) -> None:
        """Put back also what costs more to look at: once for a group of questions."""
        self.put_back_more()
        if np.get_printoptions() != self._print_options:
            np.set_printoptions(**self._print_options)
        if os.environ != self._environment:
            os.environ.clear()
            os.environ.update(self._environment)
        if gc.isenabled() != self._has_gc:
            (gc.enable if self._has_gc else gc.disable)()
        if self._is_main:
            self._restore_signals()

    def _restore_folder(self) -> None:
        for place in (self._folder, os.sep):  # the folder itself may be gone
            with contextlib.suppress(OSError):
                os.chdir(place)
                return

    def _restore_limits(self) -> None:
        assert resource is not None
        for number, limit in self._limits.items():
            with contextlib.suppress(OSError, ValueError):  # a hard limit is raised by root alone
                resource.setrlimit(number, limit)

    def _restore_signals(self) -> None:
        if hasattr(signal, "pthread_sigmask"):
            signal.pthread_sigmask(signal.SIG_UNBLOCK, set(SIGNALS))
        for number, handler in self._handlers.items():
            if handler is not None and signal.getsignal(number) is not handler:
                with contextlib.suppress(OSError, ValueError):
                    signal.signal(number, handler)


def _put_functions_back(modules: Sequence[Watched]) -> list[str]:
    """Put back what modules had; returns the names of what was replaced."""
    replaced: list[str] = []
    for module, now, before in modules:
        if now != before:  # as much as possible without calling anything: builtins come first
            found = [
                (name, value)
                for name, value in before.items()
                if now.get(name) is not value and not (name in now and _is_private(module, name))
            ]
            now.update(found)
            replaced += [f"{module.__name__}.{name}" for name, _ in found if name not in _VARY]
            before |= now  # what was imported late is known from now on
    return replaced


def _root(name: str) -> str:
    return name.partition(".")[0]


def _is_watched(name: str) -> bool:
    return _root(name) in IMPORTED or _root(name) in sys.stdlib_module_names


SMALLEST = sys.float_info.min  # of the normal numbers: a half of it is not zero by IEEE 754


def keeps_small_numbers() -> bool:
    """Whether this thread computes with numbers below the normal ones; an engine may have switched that off."""
    return SMALLEST / 2 != 0


_VARY = frozenset({"_", "__warningregistry__"})  # of modules: changed by Python itself


def _is_private(module: ModuleType, name: str) -> bool:
    """Whether an engine may have a name of Python's own: no reference computes with a hook for imports."""
    return module is builtins and name.startswith("_")


def _limits() -> dict[int, tuple[int, int]]:
    """What the system lets this process have, but for its data, which are bounded for each group."""
    if resource is None:
        return {}
    return {number: resource.getrlimit(number) for number in LIMITED}


def _folder() -> str:
    try:
        return os.getcwd()
    except OSError:
        return ""
