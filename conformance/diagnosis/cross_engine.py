"""The cross-engine check: what the other engines of a run answer where one engine's gradient differs from the reference VJP.

When a run is done, its diagnosed cases are run on every other engine, each in a process of its own, since engines are
never imported side by side. The answers change no verdict: engines share formulas, and so faults. They show a reader
whether one engine stands alone, and someone who ports a model what the other engine gives.
"""

from __future__ import annotations

import contextlib
import subprocess
import sys
import threading
from collections.abc import Iterable, Iterator, Sequence

import msgspec
import numpy as np

from conformance.backend import Backend
from conformance.case import Case
from conformance.checks.observation import Observation, Oracle
from conformance.diagnosis.worst_entry import Real, WorstEntry
from conformance.errors import error_text
from conformance.load import leave, load_backend, start_timeout
from conformance.ops import find
from conformance.oracle.allowance import MANY_PERTURBATIONS
from conformance.runfile.diagnostics import Agreement, Diagnostic
from conformance.runfile.records import UNEXPECTED, CrossEngineLine, ResultLine
from conformance.runfile.severity import number_at

MARK = "conformance-cross-engine:"
SOON = 2.0  # seconds
MOST = 32  # cases that one engine is given: of an engine with more failures, the first are enough


class DisagreedEntry(msgspec.Struct, frozen=True):
    """One entry of one gradient of a case, and what the engine that differs got there."""

    id: str
    token: str
    operand: int
    place: tuple[int, ...]
    got: float


# ---- in the process that keeps the results -------------------------------------------------------------


def cross_engine_answers(
    results: Iterable[ResultLine], engines: Sequence[tuple[str, Sequence[str]]]
) -> Iterator[CrossEngineLine]:
    """What each engine answers to the others' failures.

    Args:
        results: of the whole run.
        engines: for each engine how to load it, and the names of its backends in the results.
    """
    diagnosed = sorted(_diagnosed(results), key=lambda pair: pair[0].verdict not in UNEXPECTED)
    running = []
    for spec, names in engines:
        entries = [entry for result, entry in diagnosed if result.backend not in names][:MOST]
        if entries:
            running.append(_Engine(spec, entries))
    for engine in running:
        yield from engine.answers()


def _diagnosed(results: Iterable[ResultLine]) -> Iterator[tuple[ResultLine, DisagreedEntry]]:
    """The results with a diagnosis, and the entry that it is about."""
    for result in results:
        evidence = result.evidence
        if evidence is None or evidence.operand is None or not evidence.token:
            continue
        got = number_at(evidence.got, evidence.place)
        if got is None or got.imag:
            continue  # such as a complex gradient of a real operand: there is no real number to compare
        yield result, DisagreedEntry(result.id, evidence.token, evidence.operand, evidence.place, got.real)


class _Engine:
    """An engine that is answering; several answer at a time."""

    def __init__(self, spec: str, entries: Sequence[DisagreedEntry]) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-m", "conformance.diagnosis.cross_engine", spec],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self.out = b""
        self.thread = threading.Thread(
            target=self._communicate, args=(msgspec.json.encode(entries),), daemon=True
        )
        self.thread.start()

    def _communicate(self, question: bytes) -> None:
        self.out, _ = self.process.communicate(question)

    def answers(self) -> Iterator[CrossEngineLine]:
        """What it answered in time; an engine that hangs or dies answers no more."""
        self.thread.join(start_timeout())
        self.process.kill()
        self.thread.join(SOON)  # a process that the engine started may keep the pipe open
        for line in self.out.decode(errors="replace").splitlines():
            if line.startswith(MARK):
                # An engine may print anything, or die in the middle of a line.
                with contextlib.suppress(msgspec.MsgspecError):
                    yield msgspec.json.decode(line[len(MARK) :], type=CrossEngineLine)


# ---- in a process of its own ------------------------------------------------------------------------------


def answer_of(backend: Backend, entry: DisagreedEntry) -> Diagnostic:
    """What a backend gives for the entry."""
    case = Case.from_token(entry.token)
    op = find(case.op)
    if op.name not in backend.ops or case.dtype not in backend.dtypes:
        return Diagnostic(backend.engine, f"it has no {op.name} in {case.dtype}")
    seen = Observation(backend, Oracle(op, case, MANY_PERTURBATIONS))
    position = list(seen.wrt).index(entry.operand)
    try:
        gradient = seen.answer.gradients[position]
        value = Real(0) if gradient is None else Real(gradient[entry.place])
    except Exception as error:
        return Diagnostic(backend.engine, f"it raised {error_text(error)}")
    bound, got = seen.expected[position], Real(entry.got)
    exact, allowed = Real(bound.exact[entry.place]), Real(bound.allowed[entry.place])
    is_same = bool(value == got or (np.isnan(value) and np.isnan(got)))
    worst = WorstEntry(seen, position, entry.place, got, exact, allowed)
    agreement = Agreement.ENGINE if is_same else worst.agreement_of(value, allowed)
    return Diagnostic(backend.engine, f"its gradient there is {value:.10g}", agreement)


def main() -> None:
    """Answer the entries on standard input, one line each, as the backend named on the command line."""
    backend = load_backend(sys.argv[1])
    with np.errstate(all="ignore"):
        for entry in msgspec.json.decode(sys.stdin.buffer.read(), type=list[DisagreedEntry]):
            line = CrossEngineLine(entry.id, answer_of(backend, entry))
            sys.stdout.write(f"\n{MARK}{msgspec.json.encode(line).decode()}\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
    leave()
