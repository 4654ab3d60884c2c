"""The pytest plugin: the questions of the standard as pytest items.

In an engine's own repository `pytest --conformance-backend mine.py:Mine` runs them beside the engine's
own tests; `conformance run` drives the same items.
"""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from conformance.run.workers.child import Supervisor
    from conformance.run.workers.worker import Worker

OPTIONS = {
    "--conformance-backend": ("append", "a backend: an entry point's name, module:Name, or file.py"),
    "--conformance-query": ("append", "only ids that match; may be given several times"),
    "--conformance-profile": ("store", "quick, standard or thorough"),
    "--conformance-seed": ("store", "the seed of everything drawn, a whole number"),
    "--conformance-shard": ("store", "i/n: one part of the questions"),
    "--conformance-known": ("store", "a file of known failures"),
    "--conformance-timeout": ("store", "seconds one group of questions may take"),
    "--conformance-question-timeout": (
        "store",
        "seconds one question may take, in a worker of `conformance run`",
    ),
    "--conformance-plan": ("store", "a file of what is run, in place of queries and shard"),
    "--conformance-until": (
        "store",
        "when to stop, in seconds of the monotonic clock; what is worth most comes first",
    ),
    "--conformance-journal": ("store", "a folder in which workers note what they are doing"),
}


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare the options; nothing of the suite is imported before a backend is named."""
    group = parser.getgroup("conformance", "autograd conformance")
    for name, (action, text) in OPTIONS.items():
        is_time = name.endswith(("timeout", "until"))
        kind: Any = int if name == "--conformance-seed" else float if is_time else str
        kind = _seconds if name == "--conformance-timeout" else kind
        group.addoption(name, action=action, type=kind, default=None, help=text)


def _seconds(text: str) -> float:
    """Seconds, as `conformance run --timeout` takes them; raises ArgumentTypeError for what is none."""
    from conformance.seconds import positive

    return positive(text)


def _worker(config: pytest.Config) -> Worker | Supervisor:
    """What runs the questions: this process, if it is a worker of `conformance run`, else a child of it."""
    found = getattr(config, "_conformance_worker", None)
    if found is None:
        found = _started(config)
        config._conformance_worker = found  # type: ignore[attr-defined]
    return found


def _started(config: pytest.Config) -> Worker | Supervisor:
    import os

    option = config.getoption
    asked: dict[str, Any] = {
        "specs": tuple(option("--conformance-backend") or ()),
        "queries": tuple(option("--conformance-query") or ()),
        "profile": option("--conformance-profile") or "quick",
        "seed": option("--conformance-seed") or 0,
        "shard": option("--conformance-shard") or "",
        "until": option("--conformance-until"),
    }
    known, timeout = option("--conformance-known") or "", option("--conformance-timeout") or 300.0
    if option("--conformance-journal"):
        from conformance.run.process.deadline import Limit
        from conformance.run.workers.channel import set_apart
        from conformance.run.workers.worker import Worker

        set_apart(config)  # before an engine is loaded
        return Worker(
            **asked,
            limit=Limit(timeout, option("--conformance-question-timeout") or 0.0),
            known=Path(known) if known else None,
            journal=Path(option("--conformance-journal")),
            plan=Path(option("--conformance-plan")),
            name=os.environ["PYTEST_XDIST_WORKER"],
        )
    from conformance.run.workers.child import Asked, Supervisor

    return Supervisor(Asked(**asked, known=known, timeout=timeout))


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Have xdist, where it is on, distribute groups: items of one scope share their questions."""
    _hold_backend(config)
    config.addinivalue_line("markers", "xdist_group(name): the items of one scope, for one worker")
    if config.getoption("--conformance-backend") and getattr(config.option, "dist", "no") == "load":
        config.option.dist = "loadgroup"


def _hold_backend(config: pytest.Config) -> None:
    """Raise UsageError where options of ours say how to ask, and none says whom: nothing would be asked, without a word."""
    given = [name for name in OPTIONS if config.getoption(name) is not None]
    if given and not config.getoption("--conformance-backend"):
        raise pytest.UsageError(
            f"{given[0]} does nothing without a backend: give it with --conformance-backend, such as mine.py:Mine"
        )


def pytest_unconfigure(config: pytest.Config) -> None:
    """End the child in which the questions were run."""
    worker = getattr(config, "_conformance_worker", None)
    if worker is not None and hasattr(worker, "close"):
        worker.close()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(session: pytest.Session, config: pytest.Config, items: list[Any]) -> None:
    """Add one item per question, after the repository's own tests."""
    if not config.getoption("--conformance-backend"):
        return
    from conformance.errors import ConformanceError

    try:
        planned = _worker(config).items()
    except ConformanceError as error:
        _tell_why(config, str(error))
        raise pytest.UsageError(_in_our_options(str(error))) from None
    items.extend(ConformanceItem.from_parent(session, name=item.id, question=item) for item in planned)


def _in_our_options(text: str) -> str:
    """A message that names options of `conformance run`, with those that are called otherwise here."""
    for name in ("known", "shard"):
        text = text.replace(f"--{name} ", f"--conformance-{name} ")
    return text


def _tell_why(config: pytest.Config, why: str) -> None:
    """Leave it to the process that runs the workers, which learns of a worker without items nothing else."""
    from conformance.run.journal import NOT_LOADED

    folder = config.getoption("--conformance-journal")
    if folder and hasattr(config, "workerinput"):
        (Path(folder) / NOT_LOADED).write_text(why, encoding="utf-8")


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
    """Run one of our items: it has no setup, no teardown and no fixtures, so one report is all of it."""
    if not isinstance(item, ConformanceItem):
        return None
    hook = item.config.hook
    is_shown = not item.config.getoption(
        "--conformance-plan"
    )  # a run of ours shows results, and each call is a message
    if is_shown:
        hook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
    call = pytest.CallInfo.from_call(
        item.runtest, when="call", reraise=(KeyboardInterrupt, pytest.exit.Exception)
    )
    report = hook.pytest_runtest_makereport(item=item, call=call)
    hook.pytest_runtest_logreport(report=report)
    if is_shown:
        hook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
    return True


class NotConforming(Exception):
    """What an item raises so that pytest shows the failure as text of ours, not as a traceback."""


class ConformanceItem(pytest.Item):
    """One question."""

    def __init__(self, *, question: Any, **keywords: Any) -> None:
        super().__init__(**keywords)
        self.question = question
        self.results: list[Any] = []
        self.add_marker(pytest.mark.xdist_group(_worker(self.config).scope_of(question)))

    def runtest(self) -> None:
        """Run the question, and raise what pytest makes an outcome of."""
        from conformance.errors import AdapterError
        from conformance.run.failure_text import failure_text
        from conformance.runfile.records import UNEXPECTED, Verdict

        try:
            self.results, result = _worker(self.config).run(self.question)
        except AdapterError as error:  # no child starts any more
            pytest.exit(str(error), returncode=error.exit_code)
        if result is None:
            pytest.skip("not run: the time was over")
        if result.verdict is Verdict.KNOWN:
            pytest.xfail(result.evidence.reason if result.evidence else "")
        if result.verdict in (Verdict.UNSUPPORTED, Verdict.UNDECIDED):
            pytest.skip(result.evidence.message if result.evidence else "")
        if result.verdict in UNEXPECTED | {Verdict.FIXED, Verdict.INTERRUPTED}:
            raise NotConforming(failure_text(result, _worker(self.config).described(result.backend)))

    def repr_failure(self, excinfo: Any, style: Any = None) -> Any:
        """The failure message of the suite; where it is about us, no traceback, whose sources pytest would read."""
        is_ours = isinstance(excinfo.value, (NotConforming, pytest.xfail.Exception, MemoryError))
        return str(excinfo.value) or excinfo.typename if is_ours else super().repr_failure(excinfo)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """Where it is: nowhere in a file."""
        return Path("conformance"), None, self.name


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: Any) -> Generator[None, Any, Any]:
    """Attach the results to the report, in the form in which the run file has them."""
    report = yield
    if isinstance(item, ConformanceItem):
        from conformance.runfile.jsonl import encode

        report.conformance = [encode(result) for result in item.results]
        report.sections = []
    return report


@pytest.hookimpl(optionalhook=True)  # where xdist is not loaded, nobody knows it
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Keep the questions of a group on one worker: they share their cases."""
    if not config.getoption("--conformance-backend"):
        return None
    from conformance.run.xdist_scheduler import ScopeScheduling

    return ScopeScheduling(config, log)
