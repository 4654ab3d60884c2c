"""The command line: one module per verb."""

from __future__ import annotations

import argparse
import contextlib
import errno
import importlib
import io
import os
import sys
import threading
import traceback
from collections.abc import Callable, Sequence
from functools import partial
from typing import NoReturn

from conformance import __version__
from conformance.cli import settings
from conformance.cli.console import json_alone
from conformance.errors import (
    FILES_USED_UP,
    AdapterError,
    ConformanceError,
    UsageError,
    brief,
    error_text,
    is_out_of_files,
)
from conformance.runfile import outputs
from conformance.runfile.texts import LONGEST_LINE, in_brief_lines, without_commands
from conformance.runfile.whole import FULL

VERBS = (
    "run",
    "list",
    "explain",
    "doctor",
    "smoke",
    "new-backend",
    "replay",
    "report",
    "compare",
    "merge",
    "known",
    "cache",
    "atlas",
    "bench",
    "selftest",
    "sensitivity",
)

# In this process, which they may end: other verbs start one for each engine.
CALL_ENGINES_HERE = frozenset({"smoke", "replay", "bench"})
LONGEST_COMMAND = 5000  # characters of a line of ours, which may hold a command with paths
SHOWN = 300  # characters of why a package cannot be imported, of which NumPy prints a page
A_FILE = "a file stands where a folder is needed; name another place"

EXIT_CODES = """exit codes:
  0 passed   1 unexpected failure   2 interrupted   3 internal error   4 usage   5 nothing selected
  10 stale known failure   11 an adapter could not start, or `smoke` found what to correct   12 incomplete run"""


def parser() -> settings.Parser:
    """The parser of all verbs; nothing heavy is imported to make it."""
    top = settings.Parser(
        prog="conformance",
        description="What a gradient engine must do, checked on any engine.",
        epilog=EXIT_CODES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    top.add_argument("--version", action="version", version=f"conformance {__version__}")
    top.add_argument(
        "--completion",
        choices=("bash", "zsh", "tcsh"),
        help='print the completion of a shell, such as for: eval "$(conformance --completion bash)"',
    )
    verbs = top.add_subparsers(dest="verb", metavar="VERB")
    parsers: list[settings.Parser] = []
    for name in VERBS:
        module = importlib.import_module("conformance.cli." + name.replace("-", "_"))
        summary = (module.__doc__ or "").strip().splitlines()[0]
        verb = verbs.add_parser(name, help=summary.partition(": ")[2].rstrip("."), description=summary)
        module.add_arguments(verb)
        verb.set_defaults(command=module.command)
        settings.apply(verb)
        parsers.append(verb)
    settings.hold_names(parsers)
    return top


def completion(top: settings.Parser, shell: str) -> str:
    """The completion of a shell; raises UsageError where shtab, which writes it, is not installed."""
    try:
        import shtab
    except ImportError:
        raise UsageError("completion needs shtab: pip install 'autograd-conformance[completion]'") from None
    return str(shtab.complete(top, shell=shell))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a verb; returns the exit code. What cannot be printed is not, and ends nothing; a full disk is said."""
    _make_writable()
    code = _run(arguments)
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError) as error:  # Python shall not try again
            with contextlib.suppress(OSError, ValueError):
                os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
            is_lost = stream is sys.stdout and isinstance(error, OSError) and error.errno in FULL
            code = code or (_coded(partial(_raise, error)) if is_lost else 0)
    if arguments is None and any(
        not t.daemon for t in threading.enumerate() if t is not threading.main_thread()
    ):
        os._exit(code)  # Python would wait for the threads that an engine has started, which may never end
    return code


def _raise(error: BaseException) -> NoReturn:
    raise error


def _make_writable() -> None:
    """Give the process streams that take every character: a terminal of ASCII shows escapes, a closed one nothing."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None or stream.closed:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115 - for as long as the process
        elif isinstance(stream, io.TextIOWrapper) and stream.errors != "backslashreplace":
            stream.reconfigure(errors="backslashreplace")


def _run(arguments: Sequence[str] | None) -> int:
    return _coded(lambda: _dispatched(arguments))


def _dispatched(arguments: Sequence[str] | None) -> int:
    """Parse the command line and run its verb."""
    if sys.flags.optimize > 1:
        raise UsageError("python -OO removes the docstrings that say what checks claim; leave it out")
    try:
        os.getcwd()
    except FileNotFoundError:
        raise UsageError("the working folder has been removed; change to another") from None
    top = parser()
    try:
        options = top.parse_args(arguments)
    except SystemExit as end:  # argparse ends with 2 for a usage error, this project with 4
        return UsageError.exit_code if end.code == 2 else int(end.code or 0)
    if options.completion:
        print(completion(top, options.completion))
        return 0
    if options.verb is None:
        top.print_help()
        return 0
    outputs.hold_utf8(options)
    outputs.hold_apart(options)

    def work() -> int:
        with json_alone() if getattr(options, "as_json", False) else contextlib.nullcontext():
            return int(options.command(options))

    if arguments is None and options.verb in CALL_ENGINES_HERE:
        from conformance.run.process.watched import watched

        return watched(lambda: _coded(work))
    return work()


def _coded(work: Callable[[], int]) -> int:
    """The exit code of work; what it raises is said, and is one too."""
    try:
        return work()
    except SystemExit as end:
        if isinstance(end.__context__, BrokenPipeError):
            return 0  # so rich ends where the reader of our output has closed it
        print(
            f"conformance: the engine ended the process: {in_brief_lines(error_text(end))}", file=sys.stderr
        )
        return AdapterError.exit_code
    except ConformanceError as error:
        longest = LONGEST_LINE if isinstance(error, AdapterError) else LONGEST_COMMAND
        print(without_commands(in_brief_lines(f"conformance: {error}", longest)), file=sys.stderr)
        return error.exit_code
    except KeyboardInterrupt:
        print("conformance: interrupted", file=sys.stderr)
        return 2
    except BrokenPipeError:
        return 0  # the reader of our output has closed it
    except OSError as error:
        if is_out_of_files(error):
            print(f"conformance: {FILES_USED_UP}", file=sys.stderr)
            return UsageError.exit_code
        if not is_of_output(error):
            return _defect()
        said = A_FILE if error.errno in (errno.EEXIST, errno.ENOTDIR) else error.strerror
        name = error.filename or "the output"
        name = brief(str(name)) if error.errno == errno.ENAMETOOLONG else name
        print(f"conformance: {said}: {name}", file=sys.stderr)
        return UsageError.exit_code
    except ModuleNotFoundError as error:
        module = (error.name or "").partition(".")[0]
        if not module or module == __package__.partition(".")[0]:
            return _defect()
        print(
            f"conformance: this Python ({sys.executable}) lacks {module}, which the suite needs: use that of the "
            "environment in which it is installed, or pip install autograd-conformance here",
            file=sys.stderr,
        )
        return UsageError.exit_code
    except ImportError as error:
        module = _module_of(error)
        if not module or module.startswith(__package__.partition(".")[0]):
            return _defect()
        why = " ".join(error_text(error.__cause__ or error).split())[:SHOWN]
        print(
            f"conformance: this Python ({sys.executable}) cannot import {module}, which is installed: {why}; install it anew: "
            f"pip install --force-reinstall {module}",
            file=sys.stderr,
        )
        return UsageError.exit_code
    except Exception:
        return _defect()


def _module_of(error: ImportError) -> str:
    """The package that could not be imported: the one it names, or else the one that has raised it."""
    if error.name:
        return error.name.partition(".")[0]
    *_, (frame, _) = traceback.walk_tb(error.__traceback__)
    return str(frame.f_globals.get("__name__", "")).partition(".")[0]


def is_of_output(error: OSError) -> bool:
    """Whether an error is of a place that the user chose: full, unwritable, a folder, missing, too long a name."""
    return error.errno in (
        *(errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM, errno.EISDIR, errno.ENOTDIR),
        *(errno.ENOENT, errno.EEXIST, errno.ENAMETOOLONG, errno.EFBIG, errno.EIO, errno.EBADF, errno.ELOOP),
    )


def _defect() -> int:
    from conformance.cli.doctor import outdated

    if text := outdated():
        print(f"conformance: {text}", file=sys.stderr)
        return UsageError.exit_code
    with contextlib.suppress(OSError):
        traceback.print_exc()
        print("conformance: this is a defect of the suite, not of an engine", file=sys.stderr)
    return ConformanceError.exit_code
