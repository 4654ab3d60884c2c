"""The exceptions, as a tree; every message says what is wrong, how to correct it.

ConformanceError
├── UsageError           the command line names what does not exist          exit 4
│   └── NothingSelected  the query matches nothing                           exit 5
├── AdapterError         the adapter could not start, or broke its protocol  exit 11
├── RunFileError         a run file that cannot be read                      exit 4
├── DependencyError      a dependency has changed a private interface        exit 3
├── Unsupported          the backend does not offer this; the message is the reason
└── Violation            the engine breaks a clause (a verdict, not a crash)
"""

from __future__ import annotations

import signal
from typing import Any


class ConformanceError(Exception):
    """Anything this project raises on purpose."""

    exit_code = 3


class UsageError(ConformanceError):
    """What the user named does not exist or does not fit."""

    exit_code = 4


class NothingSelected(UsageError):
    """A query matched nothing."""

    exit_code = 5


class RunFileError(UsageError):
    """A run file that cannot be read."""


class AdapterError(ConformanceError):
    """The adapter could not start, or returned what the protocol does not allow."""

    exit_code = 11


class DependencyError(ConformanceError):
    """A dependency no longer has a private interface that this project relies on."""

    def __init__(self, name: str, version: str, missing: str) -> None:
        super().__init__(
            f"{name} {version} has changed a private interface: {missing}. Install the release in constraints.txt"
        )


class Unsupported(ConformanceError):
    """The backend does not offer what a check needs; the message is the reason."""


class Violation(ConformanceError):
    """The engine does not do what a clause says.

    Attributes:
        expected, got, allowed: where the claim is about values, arrays of one shape; `allowed` is the largest
            allowed error of each entry.
        where: the worst entry, as text.
        error: the error of that entry, divided by the allowed one.
        ulp: the error of that entry, in units in the last place.
        because: where the allowed error of that entry comes from.
        comparisons: with the oracle, the one that fails and those before it.
    """

    def __init__(
        self,
        message: str,
        *,
        expected: Any = None,
        got: Any = None,
        allowed: Any = None,
        where: str = "",
        error: float | None = None,
        ulp: float | None = None,
        because: str = "",
        comparisons: tuple[Any, ...] = (),
    ) -> None:
        super().__init__(message)
        self.expected = expected
        self.got = got
        self.allowed = allowed
        self.where = where
        self.error = error
        self.ulp = ulp
        self.because = because
        self.comparisons = comparisons


def is_ctrl_c(error: BaseException) -> bool:
    """Whether an exception is the user's Ctrl-C; workers ignore that signal, so theirs are the engine's."""
    return isinstance(error, KeyboardInterrupt) and signal.getsignal(signal.SIGINT) is not signal.SIG_IGN
