"""A session: one engine's questions, run by pytest's workers.

Here is the half in the process that writes the run file: it receives the results, and turns the death of a worker
into the one verdict it is worth. The other half is `workers.worker`.
"""

from __future__ import annotations

import contextlib
import functools
import io
import os
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import ParamSpec

import msgspec
import pytest

from conformance.errors import FILES_USED_UP, is_out_of_files
from conformance.questions import Item
from conformance.run.journal import NOT_LOADED
from conformance.run.keeper import Keeper, Waiting
from conformance.run.plan import together
from conformance.run.process import processes
from conformance.run.process.deadline import Limit, is_over
from conformance.runfile.known import KnownFailure
from conformance.runfile.records import ResultLine

P = ParamSpec("P")
MANY = 1_000_000  # workers that may be replaced: each replaced one has cost a result, or counts as a failed start

# What a user's environment would tell the pytest that runs inside: nothing but what is named here is loaded.
SWITCHES = (
    "PYTEST_ADDOPTS",
    "PYTEST_PLUGINS",
    "PYTEST_DISABLE_PLUGIN_AUTOLOAD",
    "PYTEST_XDIST_AUTO_NUM_WORKERS",
)
PLUGINS = ("xdist.plugin", "conformance.pytest_plugin")


@dataclass
class Ended:
    """How a session ended: what went wrong on our side, why no worker could start, whether its time was over, what was left out."""

    trouble: list[str] = field(default_factory=list)
    not_started: str = ""
    is_over: bool = False
    left_out: list[str] = field(default_factory=list)  # ops, of which workers died
    unexplained: list[str] = field(
        default_factory=list
    )  # ends of processes of which no question alone is the cause


def _limited(session: Callable[P, Ended]) -> Callable[P, Ended]:
    """A session that says where it, or a worker, may open no more files: no defect of the suite, though it is raised there."""

    @functools.wraps(session)
    def run(*given: P.args, **named: P.kwargs) -> Ended:
        try:
            ended = session(*given, **named)
        except OSError as error:
            if not is_out_of_files(error):
                raise
            return Ended(not_started=FILES_USED_UP)
        is_full = any(map(is_out_of_files, ended.trouble))
        return replace(ended, trouble=[], not_started=FILES_USED_UP) if is_full else ended

    return run


@_limited
def run_session(
    specs: Sequence[str],
    items: Sequence[Item],
    options: Sequence[str],
    *,
    workers: int,
    known: Sequence[KnownFailure],
    limit: Limit,
    keep: Callable[[ResultLine], None],
    until: float | None = None,
    waiting: Waiting | None = None,
    is_last: Callable[[ResultLine], bool] | None = None,
) -> Ended:
    """Run the items of one engine's backends in worker processes, by worth where there is an end; KeyboardInterrupt is raised on.

    After a result that `is_last` no more are wanted.
    """
    if is_over(until):
        return Ended(is_over=True)
    with tempfile.TemporaryDirectory(prefix="conformance-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        plan = folder / "plan.json"
        plan.write_bytes(msgspec.json.encode([(i.backend, i.check, i.subject, i.dtype) for i in items]))
        keeper = Keeper(items, folder, known, keep, limit, until, waiting, is_last)
        arguments = [
            # Without its own, pytest makes one beside ours, and leaves those of the last three runs there.
            *("--basetemp", str(folder / "pytest")),
            *("--rootdir", name, "-c", os.devnull, "--capture=no", "--import-mode=importlib"),
            *("-p", "no:terminal", "-p", "no:cacheprovider", "-p", "no:warnings", "-p", "no:faulthandler"),
            *(part for plugin in PLUGINS for part in ("-p", plugin)),
            *(
                "-n",
                str(_needed(items, workers, until)),
                "--dist",
                "loadgroup",
                "--max-worker-restart",
                str(MANY),
            ),
            *(part for spec in specs for part in ("--conformance-backend", spec)),
            *("--conformance-journal", name, "--conformance-timeout", str(limit.group)),
            *("--conformance-question-timeout", str(limit.question)),
            *("--conformance-plan", str(plan)),
            *(() if until is None else ("--conformance-until", str(until), "--no-loadscope-reorder")),
            *options,
            name,
        ]
        with (
            contextlib.redirect_stderr(io.StringIO()) as said,
            _environment(),
            processes.orphans_ended(),
        ):
            try:
                code = pytest.main(arguments, plugins=[keeper])
            finally:
                keeper.watch.stop()
                keeper.watch.end_all()
        ended = _ended(keeper, code, said.getvalue().strip(), _not_loaded(folder))
        return replace(ended, left_out=keeper.deaths.left_out, unexplained=keeper.deaths.unexplained)


def _needed(items: Sequence[Item], workers: int, until: float | None) -> int:
    """As many workers as there is work for: each loads the engine, and one more than groups would have nothing to do."""
    return max(1, min(workers, len({together(item, until) for item in items})))


def _not_loaded(folder: Path) -> str:
    """Why a worker could not load an adapter, which this process could; empty where they all could."""
    try:
        return f"in a worker, {(folder / NOT_LOADED).read_text(encoding='utf-8')}"
    except OSError:
        return ""


def _ended(keeper: Keeper, code: int, said: str, not_loaded: str) -> Ended:
    # A file that breaks while it runs: pytest has a defect to report then, that no worker is there any more.
    not_started = keeper.not_started or ("" if keeper.kept and not keeper.trouble else not_loaded)
    if not_started:
        keeper.keep_unsettled()
        return Ended(not_started=not_started)
    is_ours = keeper.trouble or keeper.is_over or keeper.watch.is_past  # what stopped the session
    if keeper.was_interrupted or (code == pytest.ExitCode.INTERRUPTED and not is_ours):
        raise KeyboardInterrupt
    if code in (pytest.ExitCode.INTERNAL_ERROR, pytest.ExitCode.USAGE_ERROR) or keeper.trouble:
        return Ended(keeper.trouble or [said or f"pytest ended with {code!r}"])
    if keeper.is_over:
        return Ended(is_over=True)
    if not keeper.kept:  # no answer, and no death of a worker either: nothing to count against an engine
        return Ended([said or f"pytest ended with {code!r} before anything was run"])
    keeper.keep_missing()
    return Ended()


@contextlib.contextmanager
def _environment() -> Iterator[None]:
    """The environment of pytest and its workers: no switch of the user's, and no module of the working folder."""
    before = dict(os.environ)
    for name in SWITCHES:
        os.environ.pop(name, None)
    os.environ.update(PYTEST_DISABLE_PLUGIN_AUTOLOAD="1", PYTHONSAFEPATH="1")
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)
