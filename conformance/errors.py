"""The exceptions, as a tree; every message says what is wrong, how to correct it.

ConformanceError
├── UsageError           the command line names what does not exist          exit 4
│   └── NothingSelected  the query matches nothing                           exit 5
├── AdapterError         the adapter could not start, or broke its protocol  exit 11
├── RunFileError         a run file that cannot be read                      exit 4
├── Interrupted          Ctrl-C came before there was anything to finish      exit 2
├── DependencyError      a dependency has changed a private interface        exit 3
├── Unsupported          the backend does not offer this; the message is the reason
└── Violation            the engine breaks a clause (a verdict, not a crash)
"""

from __future__ import annotations

import contextlib
import errno
import platform
import signal
from collections.abc import Sequence
from typing import Any, TypeGuard

LONGEST_TEXT = 2000  # characters of an exception in one line of ours
ALSO = "\nalso: "  # between what a failure says and what those of other calls say
MOST_OTHERS = 12  # of which it is said; of more the names are
SAID = "conformance: "  # how the note on an exception begins that has this
LONGEST_WORD = 100  # characters of what a user typed, where it is repeated
FILES_USED_UP = "too many open files: raise the limit, such as with: ulimit -n 1024"


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


class Interrupted(ConformanceError):
    """Ctrl-C came before there was anything to finish."""

    exit_code = 2


class DependencyError(ConformanceError):
    """A dependency no longer has a private interface that this project relies on."""

    def __init__(self, name: str, version: str, missing: str) -> None:
        super().__init__(
            f"{name} {version} has changed a private interface: {missing}. Install the release in constraints.txt"
        )


class Unsupported(ConformanceError):
    """The backend does not offer what a check needs; the message is the reason."""

    def __str__(self) -> str:
        said = "" if self.args == (None,) else super().__str__()
        return said or "the adapter gives no reason"  # a result without a message would have none


class Lacked(Unsupported):
    """The engine does not take a value of a parameter, as declared: it may take other calls of the op."""


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


class CtrlC(KeyboardInterrupt):
    """The user's Ctrl-C, where engines run in the same process: theirs is a plain KeyboardInterrupt."""


def raise_ctrl_c(signum: int, frame: Any) -> None:
    """A handler of SIGINT."""
    raise CtrlC


def is_ctrl_c(error: BaseException) -> bool:
    """Whether an exception is the user's Ctrl-C, and not an engine's: workers ignore that signal."""
    if not issubclass(type(error), KeyboardInterrupt):
        return False
    return type(error) is CtrlC or signal.getsignal(signal.SIGINT) not in (signal.SIG_IGN, raise_ctrl_c)


def hold_no_stop(error: BaseException) -> None:
    """Raise again what ends a process, or closes a generator, where an engine may raise whatever it likes.

    Anything else is an engine's exception, also if it is no Exception, such as a panic of an engine in Rust.
    """
    if is_stop(error):
        raise error


def is_stop(error: BaseException) -> bool:
    """Whether an exception is raised to end a process or a generator, whoever raises it."""
    return issubclass(type(error), (KeyboardInterrupt, SystemExit, GeneratorExit))


def text_of(failure: BaseException) -> str:
    """What it says; where it cannot be asked, that."""
    try:
        text = str(failure)
        return text if type(text) is str else str.__str__(text)
    except BaseException as error:
        return f"(its text cannot be read: {class_name(error)} in its __str__)"


def joined(failures: Sequence[tuple[str, Exception]]) -> Exception:
    """The first of the failures of several calls, each with the call's name; it says of all others what each says alone."""
    (name, first), *others = failures
    said = [_alone(*other) for other in others]
    if len(said) > MOST_OTHERS:
        said[MOST_OTHERS:] = [
            f"{len(others) - MOST_OTHERS} more: {', '.join(n for n, _ in others[MOST_OTHERS:])}"
        ]
    with contextlib.suppress(Exception):  # an engine's exception may not take a note
        BaseException.add_note(first, SAID + ALSO.join([_alone(name, first, has_class=False), *said]))
    return first


def _alone(name: str, failure: BaseException, *, has_class: bool = True) -> str:
    """What a failure says, of an exception of the engine's with the name of the call, which it does not know."""
    if issubclass(type(failure), ConformanceError):
        return text_of(failure)
    text = f"{name}: {text_of(failure)[:LONGEST_TEXT]}"
    return f"{class_name(failure)}: {text}" if has_class else text


def said_of(failure: BaseException) -> str:
    """What it says, with what was noted by `joined`."""
    with contextlib.suppress(Exception):
        noted: list[str] = [note for note in vars(failure)["__notes__"] if note.startswith(SAID)]
        return noted[-1].removeprefix(SAID)
    return text_of(failure)


def class_name(failure: BaseException) -> str:
    """The name of its class."""
    return str(type.__dict__["__name__"].__get__(type(failure)))


def error_text(failure: BaseException) -> str:
    """The class and the text of any exception, cut where it is long."""
    return f"{class_name(failure)}: {text_of(failure)[:LONGEST_TEXT]}"


def import_error_text(failure: BaseException) -> str:
    """The same of what an import raises: Python says of a file that it cannot read the name alone, and it may need a newer Python."""
    if not issubclass(type(failure), SyntaxError) or not getattr(failure, "filename", None):
        return error_text(failure)
    place = f"{failure.filename}, line {failure.lineno}"  # type: ignore[attr-defined]  # of a SyntaxError, as was seen
    return f"{error_text(failure)}\nin {place}; this is Python {platform.python_version()}, and the file may need a newer one"


def is_violation(failure: BaseException | None) -> TypeGuard[Violation]:
    """Whether it is a Violation; not by `isinstance`, which an engine's exception may answer itself."""
    return issubclass(type(failure), Violation)


def is_out_of_files(failure: BaseException | str) -> bool:
    """Whether an exception, or what is printed of one, tells of the limit of open files, which is the machine's."""
    numbers = (errno.EMFILE, errno.ENFILE)
    if isinstance(failure, str):
        return any(f"OSError: [Errno {number}]" in failure for number in numbers)
    return isinstance(failure, OSError) and failure.errno in numbers


def brief(text: str, longest: int = LONGEST_WORD) -> str:
    """What is repeated of a text, in one line: both ends of a long one, and how much was between them."""
    if len(text) <= longest:
        return text
    half = longest // 2
    return f"{text[:half]} … ({len(text) - 2 * half} characters) … {text[-half:]}"
