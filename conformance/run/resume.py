"""Running on from an earlier run file: what it lacks, or what failed in it."""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Sequence, Set
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from conformance.errors import AdapterError, UsageError
from conformance.load import name_of, named
from conformance.run.plan import PROFILES
from conformance.run.process.deadline import Limit
from conformance.runfile.jsonl import Run, read_results, read_run
from conformance.runfile.records import UNEXPECTED, BackendLine, ResultLine, RunLine, Verdict
from conformance.runfile.writer import PART, is_being_written

if TYPE_CHECKING:
    from conformance.run.conduct import Request

PROFILE, OUTPUT = "quick", Path("run.jsonl")  # where the command line says nothing
LATE = re.compile(r"no answer within (\d+(?:\.\d+)?(?:e[+-]?\d+)?) s\b")  # as `Limit.exceeded` says it
UNANSWERED = frozenset({Verdict.INTERRUPTED, Verdict.INTERNAL_ERROR})


def unfinished(path: Path) -> Path:
    """The file of a run that was cut short: as it is called, or under its provisional name."""
    part = path.with_name(path.name + PART)
    return part if part.is_file() and not path.is_file() else path


def resumed(request: Request) -> tuple[Request, tuple[ResultLine, ...]]:
    """The request of the run that is resumed, and the results that it has already."""
    assert request.resume is not None
    if request.rerun_failed:
        raise UsageError("--resume finishes a run, --rerun-failed runs a part of one again: give one of them")
    path = unfinished(request.resume)
    run = read_run(path)
    _hold_ended(path)
    header = run.header
    if header.profile not in PROFILES:
        raise UsageError(
            f"{path} is no run of questions: its profile is {header.profile!r}, which bench writes"
        )
    specs = request.specs or specs_in(run, trust=request.trust, what=f"run --resume {path}")
    if run.damage:
        print(
            f"conformance: {path} is damaged: {run.missing_in(path)}; lines that cannot be read are left out, and what they "
            "answered is asked again",
            file=sys.stderr,
        )
    limit = Limit.of(request.timeout, request.budget).one
    answered = {
        r.id: r for r in run.results if r.verdict not in UNANSWERED and not 0 < exceeded_by(r) < limit
    }
    output = path.with_name(path.name.removesuffix(PART))
    hold_as_begun(
        path,
        ("-q", request.queries, (), header.queries),
        ("--profile", request.profile, PROFILE, header.profile),
        ("--seed", request.seed, 0, header.seed),
        ("--shard", request.shard, "", header.shard),
        ("-o", request.output, OUTPUT, output),
    )
    whole = replace(
        request, specs=specs, queries=header.queries, profile=header.profile, seed=header.seed, shard=header.shard,
        output=output, force=True, resume=path, ids=header.ids,
    )  # fmt: skip
    return whole, tuple(answered.values())


def exceeded_by(result: ResultLine) -> float:
    """The seconds within which a question had no answer; zero where it has one. With more of them it may have."""
    is_late = LATE.match(result.evidence.message) if result.evidence else None
    return float(is_late[1]) if is_late else 0.0


def _hold_ended(path: Path) -> None:
    """Refuse to run on from the file of a run that goes on, whose later results would be lost; raises UsageError."""
    if is_being_written(path):
        raise UsageError(
            f"another run is still writing {path}; wait for its end, or end it, and resume it then"
        )


def hold_alike(path: Path, now: RunLine) -> None:
    """Refuse to put answers of two releases into one file, and to end with less than an earlier run has.

    Raises:
        AdapterError: if an engine of that run cannot start now.
        UsageError: if an engine, or this suite, is another than it was.
    """
    then = read_run(unfinished(path)).header
    if then.spec.digest != now.spec.digest:
        raise UsageError(f"{path} is of another state of this suite, whose checks may differ: run it anew")
    begun = {line.name: line for line in then.backends if not line.error}
    lost = sorted(begun.keys() - {line.name for line in now.backends})
    # One that does not start is called after its file or class: nobody could ask it for its name.
    called = {name_of(_spec(begun[name])) for name in lost}
    broken = [line.error for line in now.backends if line.error and line.name in begun.keys() | called]
    if broken:
        raise AdapterError(f"{path} cannot go on, and stays as it is: {broken[0]}")
    if lost:
        raise UsageError(
            f"{path} also has {', '.join(lost)}; name all its backends, or, to run those that it names, none"
        )
    for line in now.backends:
        earlier = begun.get(line.name)
        if earlier and earlier.version != line.version:
            raise UsageError(
                f"{path} was begun with {line.name} {earlier.version}, and this is {line.version}: run it anew, and: "
                f"conformance compare {path} NEW"
            )


def hold_asked(path: Path, answered: Sequence[ResultLine], asked: Set[str]) -> None:
    """Refuse to write a file anew without some of its answers; raises UsageError."""
    lost = [result.id for result in answered if result.id not in asked]
    if lost:
        raise UsageError(
            f"{path} has {len(lost)} results of questions that are not asked any more, such as {lost[0]}: run it anew, "
            f"and: conformance compare {path} NEW"
        )


def hold_as_begun(path: Path, *choices: tuple[str, Any, Any, Any]) -> None:
    """Refuse what an earlier run has decided otherwise; raises UsageError.

    Args:
        path: the file of that run.
        choices: a flag, what it is now, what it is where nobody gave it, and what it was then.
    """
    for flag, given, default, then in choices:
        if given not in (default, then):
            begun = f"with {_shown(flag, then)}" if then not in ((), "") else f"without {flag}"
            raise UsageError(f"{path} was begun {begun}, and goes on so; leave out {_shown(flag, given)}")


def _shown(flag: str, value: Any) -> str:
    """A choice as it is typed."""
    return shlex.join(
        part for each in (value if isinstance(value, tuple) else (value,)) for part in (flag, str(each))
    )


def failed_again(request: Request) -> Request:
    """The request to run what did not pass in an earlier run, with its draws."""
    assert request.rerun_failed is not None
    path = unfinished(request.rerun_failed)
    run = read_results(path)
    ids = tuple(r.id for r in run.results if r.verdict in UNEXPECTED | UNANSWERED)
    lacks = run.warning(path)
    if not ids and lacks:
        raise UsageError(
            f"no failure is in what can be read, but {lacks}; what it lacks is asked with: conformance run --resume "
            f"{shlex.quote(str(path))}"
        )
    if not ids:
        raise UsageError(f"nothing failed in {request.rerun_failed}")
    if lacks:
        print(f"conformance: {lacks}; of what it lacks nothing is run again", file=sys.stderr)
    specs = request.specs or specs_in(run, trust=request.trust, what=f"run --rerun-failed {path}")
    failed = {r.backend for r in run.results if r.id in set(ids)}
    lines = {_spec(line): line.name for line in run.header.backends}
    specs = tuple(spec for spec in specs if lines.get(spec, "") in failed or spec not in lines)
    header = run.header
    hold_as_begun(
        path,
        ("--profile", request.profile, PROFILE, header.profile),
        ("--seed", request.seed, 0, header.seed),
    )
    return replace(request, specs=specs, profile=header.profile, seed=header.seed, ids=ids)


def command_to_resume(backends: Sequence[BackendLine], path: Path) -> str:
    """What runs on from a run file; it names backends that the run file alone may not have loaded."""
    installed, specs = named(), [_spec(line) for line in backends]
    given = [] if installed.keys() >= set(specs) else specs
    return shlex.join(["conformance", "run", *given, "--resume", str(path)])


def specs_in(run: Run, *, trust: bool, what: str) -> tuple[str, ...]:
    """The backends of a run; UsageError where one is a file or a module that nobody has vouched for."""
    installed = named()
    for line in run.header.backends:
        if _spec(line) not in installed and not trust:
            raise UsageError(
                f"the run file says that {line.name} is loaded from {_spec(line)!r}, which would be executed; name it "
                f"yourself, or, if you trust the file: conformance {what} --trust"
            )
    return tuple(_spec(line) for line in run.header.backends)


def _spec(line: BackendLine) -> str:
    return line.spec or line.name
