"""replay: run one recorded case again, on any backend."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from conformance.cli.console import add_json_flag
from conformance.seconds import positive

if TYPE_CHECKING:
    from conformance.backend import Backend
    from conformance.runfile.records import ResultLine

DEPENDS_ON = (
    "the engine's answer depends on the calls before it, on its release or on the machine; "
    "conformance run -q asks the whole question again"
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The flags of `replay`."""
    parser.add_argument(
        "what", metavar="TOKEN|ID", help="a replay token, or the id of a result in the run file"
    )
    parser.add_argument(
        "--on",
        action="append",
        default=[],
        metavar="BACKEND",
        help="where to run it; may be given several times (an id: its own backend)",
    )
    parser.add_argument(
        "--check", default="", metavar="KEY", help="only that check of a token, such as op/vjp (default: all)"
    )
    parser.add_argument(
        "--script", action="store_true", help="print a script in the engine's own API instead"
    )
    parser.add_argument(
        "--timeout",
        type=positive,
        default=60.0,
        metavar="S",
        help="with --script: seconds after which a check counts as hanging; its script ends at the call that did not return (default: 60)",
    )
    parser.add_argument(
        "--trust", action="store_true", help="load the adapter that the run file names by path"
    )
    parser.add_argument(
        "--run",
        type=Path,
        default=Path("run.jsonl"),
        metavar="RUN",
        help="the run file in which an id is looked up (default: run.jsonl)",
    )
    add_json_flag(parser)


def command(options: argparse.Namespace) -> int:
    """Run it again; 0 where everything holds."""
    import warnings

    import numpy as np

    from conformance.cli.console import print_json
    from conformance.errors import UsageError
    from conformance.load import load_backend
    from conformance.run.describe import hold_starts
    from conformance.run.process.scripted import script_apart
    from conformance.runfile.records import UNEXPECTED

    token, key, backends, recorded = _found(options)
    specs = options.on or backends
    if not specs:
        raise UsageError("say where to run it: --on BACKEND")
    scripts: dict[str, str] = {}
    results: list[ResultLine] = []
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for spec in specs:
            hold_starts(spec)
            backend = load_backend(spec)
            if options.script:
                if backend.dialect is None:
                    raise UsageError(
                        f"{spec} declares no `dialect`, which writes the calls of its scripts; see docs/adapter.md, "
                        '"How calls are written"'
                    )
                scripts[backend.name] = script_apart(spec, token, key, options.timeout)
                print(scripts[backend.name])
                continue
            for result, text in _results(backend, spec, token, key):
                results.append(result)
                print(text)
    if recorded and not options.on and _is_gone(recorded, results):
        print(f"  it was {recorded.verdict.value} in {options.run}, and is right alone: {DEPENDS_ON}")
    if options.as_json:
        print_json(scripts if options.script else results)
    return 1 if any(result.verdict in UNEXPECTED for result in results) else 0


def _is_gone(recorded: ResultLine, results: Sequence[ResultLine]) -> bool:
    """Whether what failed in a run passes now."""
    from conformance.runfile.records import UNEXPECTED, Verdict

    are_right = [result.verdict is Verdict.PASS for result in results]
    return recorded.verdict in UNEXPECTED and bool(are_right) and all(are_right)


def _found(options: argparse.Namespace) -> tuple[str, str, list[str], ResultLine | None]:
    """The token, the key of the one check to run ("" for all that apply), the backends on record, and the result of an id."""
    from conformance.errors import UsageError, brief
    from conformance.questions import all_kinds
    from conformance.runfile.jsonl import read_run

    options.what = options.what.strip()
    prefixes = sorted({kind.prefix for kind in all_kinds().values()})
    if options.what.startswith(tuple(prefixes)):
        return options.what, _check_key(options.check), [], None
    if "/" not in options.what:
        listed = ", ".join(f"{prefix}…" for prefix in prefixes)
        raise UsageError(
            f"{brief(options.what)!r} is neither a replay token ({listed}) nor the id of a result"
        )
    run = read_run(options.run)
    results = [r for r in run.results if r.id == options.what]
    if len(results) != 1:
        count = f"{len(results)} results" if results else "no result"
        lacks = f"; {warning}" if (warning := run.warning(options.run)) else ""
        raise UsageError(f"{options.run} has {count} {brief(options.what)!r}; see --run{lacks}")
    (result,) = results
    token = _recorded(result)
    if not token:
        raise UsageError(
            f"{options.what} is a {result.verdict.value} without a recorded case: there is nothing to replay"
        )
    spec = next((b.spec for b in run.header.backends if b.name == result.backend and b.spec), result.backend)
    if not options.on:
        hold_trusted(options.run, result.backend, spec, options.trust, "name it yourself with --on, or ")
    return token, result.check_key, [spec], result


def hold_trusted(run: Path, name: str, spec: str, is_trusted: bool, instead: str = "") -> None:
    """Raise UsageError where a run file names an adapter that is not installed, and nobody said to trust it."""
    from conformance.errors import UsageError
    from conformance.load import named

    if not (is_trusted or spec in named()):
        raise UsageError(
            f"{run} says that {name} is loaded from {spec!r}, which would be executed; {instead}pass --trust if you trust the file"
        )


def _recorded(result: ResultLine) -> str:
    """The case that failed, else the one in which a value was furthest out; "" where there is neither."""
    if result.evidence and result.evidence.token:
        return result.evidence.token
    return result.accuracy.token if result.accuracy else ""


def _check_key(key: str) -> str:
    from conformance.checks import load_all
    from conformance.errors import UsageError

    if key and key not in load_all():
        raise UsageError(f"no check {key!r}; see: conformance list checks")
    return key


def _results(backend: Backend, spec: str, token: str, key: str) -> Iterator[tuple[ResultLine, str]]:
    """Run the checks: each result, with what is printed of it."""
    from conformance.questions import questions_in
    from conformance.run.describe import describe
    from conformance.run.execute import result_of
    from conformance.run.failure_text import failure_text
    from conformance.runfile.records import UNEXPECTED

    for check, question in questions_in(token, key):
        result = result_of(check, backend, question)
        text = f"{backend.name}  {result.verdict.value:12} {check.clause:4} {check.claim}{_furthest(result)}"
        if result.verdict in UNEXPECTED:
            text += "\n" + failure_text(result, describe(spec).line)
        yield result, text


def _furthest(result: ResultLine) -> str:
    """How far out the furthest value was, and where; "" where all are exact, or no value was compared."""
    accuracy = result.accuracy
    if accuracy is None or not accuracy.where:
        return ""
    far = "infinitely far" if accuracy.worst is None else f"{accuracy.worst:.3g} ulp"
    return f" · furthest out: {accuracy.where}, {far}"
