"""Conducting a run: header, one session per engine, footer, exit code."""

from __future__ import annotations

import os
import time
import traceback
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Protocol

from conformance.diagnosis.cross_engine import cross_engine_answers
from conformance.errors import ConformanceError, UsageError
from conformance.load import modes_of, registered
from conformance.questions import Item
from conformance.run import plan
from conformance.run.describe import Description, describe_all, hold_names
from conformance.run.process import caches, signals, threads
from conformance.run.process.deadline import Budget, Limit
from conformance.run.recorder import Recorder, safely
from conformance.run.resume import command_to_resume, failed_again, hold_alike, hold_asked, resumed
from conformance.run.session import run_session
from conformance.runfile.known import KnownFailure, in_force
from conformance.runfile.known_file import read_known
from conformance.runfile.records import (
    UNEXPECTED,
    CrossEngineLine,
    EndLine,
    ResultLine,
    RunLine,
    Verdict,
    counts_of,
    with_cross_engine,
)
from conformance.runfile.texts import printable
from conformance.runfile.writer import RunWriter

PASSED, FAILED, INTERRUPTED, INTERNAL, STALE, NOT_STARTED, INCOMPLETE = 0, 1, 2, 3, 10, 11, 12


@dataclass(frozen=True)
class Request:
    """What a run is to check, and where its results go."""

    specs: tuple[str, ...]
    queries: tuple[str, ...]
    profile: str
    seed: int
    workers: int
    shard: str
    timeout: float  # seconds that a group of questions may take; zero where none was given
    output: Path
    known: Path | None
    force: bool = False  # whether the output replaces a file that is there
    trust: bool = False  # whether adapters that a run file names may be loaded
    fail_on: str = "should"  # the level of clauses from which a failure counts
    ids: tuple[str, ...] = ()  # exactly these, of what the queries select
    resume: Path | None = None
    rerun_failed: Path | None = None
    no_cache: bool = False  # whether engines compile all again, and keep nothing
    budget: float = 0.0  # seconds that it may take; zero for no limit
    is_over_at_first: bool = False  # whether it ends at the first failure that is not known
    moved: Path | None = None  # when it is done: what the file is called now that had the output's name
    footer: EndLine | None = None  # when it is done

    def counts(self, result: ResultLine) -> bool:
        """Whether a failure of that level is one of the run."""
        return self.fail_on == "should" or result.level == "must"

    def ends(self, result: ResultLine) -> bool:
        """Whether the run ends with this result."""
        return self.is_over_at_first and result.verdict in UNEXPECTED and self.counts(result)

    def has_ended(self, results: Sequence[ResultLine]) -> bool:
        """Whether the run ended with one of these results."""
        return any(map(self.ends, results))


class Listener(Protocol):
    """What is notified of how a run goes."""

    def begin(self, header: RunLine, total: int, uncached: Sequence[str]) -> None:
        """The header is written; so many questions follow. Some backends cannot keep what they compile, for these reasons."""

    def result(self, result: ResultLine) -> None:
        """One answer is in the file."""

    def waiting(self, identifier: str, since: float, left: float) -> None:
        """A question has been asked for so many seconds, and is ended after so many more."""

    def end(
        self,
        header: RunLine,
        results: Sequence[ResultLine],
        request: Request,
        trouble: Sequence[str],
        not_started: Sequence[str],
    ) -> None:
        """The footer is written. Some trouble is of the suite; some engines' workers could not start."""


def specs_of(names: Sequence[str]) -> list[str]:
    """The backends that names on the command line stand for; every installed one by default."""
    chosen = [spec for name in names for spec in modes_of(name)] if names else list(registered())
    if not chosen:
        raise UsageError("no backend is installed; name one: module:Name, or file.py")
    return list(dict.fromkeys(chosen))


def conduct(request: Request, listener: Listener) -> int:
    """Run; every result is in the file as soon as it is known.

    Raises UsageError where the request names what is not there, or the file cannot be written.
    """
    with signals.as_interrupt(), caches.switched_off(is_wanted=request.no_cache):
        return _conducted(request, listener)


@dataclass
class _Course:
    """How the sessions of a run went."""

    trouble: list[str] = field(default_factory=list)  # of the suite
    not_started: list[str] = field(default_factory=list)  # engines whose workers could not start
    compared: list[CrossEngineLine] = field(default_factory=list)
    was_interrupted: bool = False
    is_over: bool = False  # whether the budget, or a failure, ended a session
    left_out: list[str] = field(default_factory=list)  # ops that ended processes
    unexplained: list[str] = field(default_factory=list)  # ends of processes that no question alone explains

    @property
    def is_undisturbed(self) -> bool:
        """Whether nothing but what was requested kept a question from being asked."""
        return not (self.was_interrupted or self.trouble or self.not_started)


def _conducted(request: Request, listener: Listener) -> int:
    started, budget = time.perf_counter(), Budget.of(request.budget)
    threads.one_each()
    caches.trim()
    request, answered = resumed(request) if request.resume else (request, ())
    request = failed_again(request) if request.rerun_failed else request
    known = read_known(request.known) if request.known else ()
    descriptions, chosen = _planned(request)
    known = in_force(known, [d.line for d in descriptions])
    header = plan.header_of(request.profile, request.seed, descriptions, request)
    wanted = {item.id for item in chosen}
    if request.resume:
        hold_alike(request.resume, header)
        hold_asked(request.resume, answered, wanted)
    writer = RunWriter(request.output, header, force=request.force, beside=request.resume)
    recorder, course = Recorder(writer, listener.result, listener.waiting), _Course()
    try:
        safely(listener.begin, header, len(chosen), [d.uncached for d in descriptions if d.uncached])
        recorder.take_over([result for result in answered if result.id in wanted])
        _ask(request, descriptions, chosen, known, budget, recorder, course)
    except KeyboardInterrupt:
        course.was_interrupted = recorder.error is None
    except ConformanceError:
        raise
    except Exception:  # a defect of ours, of which the footer is to say as much as of a worker's
        course.trouble.append(traceback.format_exc())
    footer = _footer(request, descriptions, chosen, recorder.results, course, time.perf_counter() - started)
    recorder.finish(footer)
    written = replace(request, output=writer.path, moved=writer.moved, footer=footer)
    results = with_cross_engine(recorder.results, course.compared)
    safely(listener.end, header, results, written, course.trouble, course.not_started)
    if recorder.error is not None:
        raise UsageError(
            f"cannot write the run file: {recorder.error.strerror}; {recorder.writer.path} has what was finished, "
            f"and continues with: {command_to_resume(header.backends, recorder.writer.path)}"
        )
    if request.resume and request.resume.resolve() != recorder.writer.path.resolve():
        request.resume.unlink(missing_ok=True)
    return footer.exit_code


def _planned(request: Request) -> tuple[list[Description], list[Item]]:
    """What the backends say of themselves, and the questions to ask them."""
    if request.shard:
        plan.numbers_of_shard(request.shard)  # before engines are started, which takes longer
    descriptions = _described(request)
    working = [d for d in descriptions if not d.line.error]
    asked, left_out = plan.parted(working, request.seed, plan.PROFILES[request.profile])
    return [plan.with_left_out(d, left_out) for d in descriptions], _chosen(request, asked, left_out)


def _ask(
    request: Request,
    descriptions: Sequence[Description],
    chosen: Sequence[Item],
    known: Sequence[KnownFailure],
    budget: Budget,
    recorder: Recorder,
    course: _Course,
) -> None:
    """Ask engine by engine what is not answered yet, then what other engines say where one fails."""
    done = {result.id for result in recorder.results}
    sessions = plan.sessions_of(descriptions, [item for item in chosen if item.id not in done])
    ends = budget.shares([len(part) for _, part in sessions])
    for (specs, part), until in zip(sessions, ends, strict=True):
        ended = run_session(
            specs,
            part,
            _options(request),
            workers=request.workers or os.cpu_count() or 1,
            known=known,
            limit=Limit.of(request.timeout, request.budget),
            keep=recorder.keep,
            until=until,
            waiting=recorder.wait,
            is_last=request.ends,
        )
        course.is_over = course.is_over or ended.is_over
        course.trouble += ended.trouble
        course.left_out += ended.left_out
        course.unexplained += ended.unexplained
        course.not_started += [ended.not_started] if ended.not_started else []
        if request.has_ended(recorder.results):
            course.is_over = True
            break
    for line in cross_engine_answers(recorder.results, plan.engines_of(descriptions)):
        recorder.write(line)
        course.compared.append(line)


def _footer(
    request: Request,
    descriptions: Sequence[Description],
    chosen: Sequence[Item],
    results: Sequence[ResultLine],
    course: _Course,
    seconds: float,
) -> EndLine:
    """The last line of the run file: whether it is complete, what was found, what a budget or a first failure left out."""
    is_complete = len(results) == len(chosen) and course.is_undisturbed
    is_cut = course.is_over and course.is_undisturbed
    not_asked = plan.by_chapter(plan.missing_of(chosen, results)) if is_cut else {}
    if course.not_started and not course.was_interrupted:
        code = NOT_STARTED
    else:
        code = exit_code(
            [r for r in results if request.counts(r)],
            descriptions,
            course.trouble,
            is_complete=is_complete or bool(not_asked and results),
            was_interrupted=course.was_interrupted,
        )
    of_us, out = tuple(map(printable, (*course.trouble, *course.not_started))), tuple(course.left_out)
    budget = 0.0 if request.has_ended(results) else request.budget
    ends = tuple(map(printable, course.unexplained))
    return EndLine(
        is_complete, counts_of(results), round(seconds, 3), code, of_us, budget, not_asked, out, ends
    )


def _described(request: Request) -> list[Description]:
    """What the request's backends say of themselves; UsageError where two say the same name."""
    descriptions = describe_all(specs_of(request.specs))
    hold_names(descriptions)
    return descriptions


def _chosen(request: Request, asked: Sequence[Item], left_out: Sequence[Item]) -> list[Item]:
    """The questions that the request's queries match; where it names a shard, that part of them."""
    chosen = plan.select(asked, request.queries, left_out) if asked else []
    chosen = plan.shard(chosen, request.shard) if request.shard else chosen
    wanted = frozenset(request.ids)
    return [item for item in chosen if item.id in wanted] if wanted else chosen


def _options(request: Request) -> list[str]:
    known = ["--conformance-known", str(request.known.resolve())] if request.known else []
    return ["--conformance-profile", request.profile, "--conformance-seed", str(request.seed), *known]


def exit_code(
    results: Sequence[ResultLine],
    descriptions: Sequence[Description],
    trouble: Sequence[str],
    *,
    is_complete: bool,
    was_interrupted: bool,
) -> int:
    """What the run says to whoever started it; the gravest first. What a budget left out makes no run incomplete."""
    if was_interrupted:
        return INTERRUPTED
    if trouble or any(r.verdict is Verdict.INTERNAL_ERROR for r in results):
        return INTERNAL
    if any(d.line.error for d in descriptions):
        return NOT_STARTED
    if any(r.verdict in UNEXPECTED for r in results):
        return FAILED
    if not is_complete or any(r.verdict is Verdict.INTERRUPTED for r in results):
        return INCOMPLETE
    return STALE if any(r.verdict is Verdict.FIXED for r in results) else PASSED
