"""The lines of a run file: records of what one run measured."""

from __future__ import annotations

import enum
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from conformance.runfile.accuracy import Accuracy
from conformance.runfile.atlas_cell import AtlasCell
from conformance.runfile.diagnostics import Diagnostic
from conformance.runfile.generated import GeneratedLine
from conformance.runfile.texts import printable


class Verdict(enum.StrEnum):
    """What came of one check on one subject; the order is from good to bad."""

    PASS = "pass"
    FIXED = "fixed"
    KNOWN = "known"
    UNDECIDED = "undecided"
    UNSUPPORTED = "unsupported"
    INTERRUPTED = (
        "interrupted"  # no answer: killed from outside, twice, or given up after time-outs of its subject
    )
    INTERNAL_ERROR = "internal_error"  # this project is wrong; never counted against an engine
    ADAPTER_ERROR = "adapter_error"
    FAIL = "fail"
    ERROR = "error"
    TIMEOUT = "timeout"
    CRASH = "crash"


# Of the engine or its adapter; what a known-failures file may list.
FAILING = frozenset({Verdict.FAIL, Verdict.ERROR, Verdict.TIMEOUT, Verdict.CRASH, Verdict.ADAPTER_ERROR})
UNEXPECTED = FAILING | {Verdict.INTERNAL_ERROR}


class BackendLine(msgspec.Struct, frozen=True, omit_defaults=True):
    """One backend of the run: `engine` is the distribution tested, `mode` the way it is called."""

    name: str
    engine: str
    version: str
    mode: str = ""
    capabilities: tuple[str, ...] = ()
    conventions: dict[str, str] = {}
    error: str = ""  # why the adapter could not start; empty where it did
    spec: str = ""  # how to load it again, where its name is not enough: module:Name, or a file
    repeats: str = ""  # the backend whose calls it makes on another device
    left_out: dict[
        str, int
    ] = {}  # by chapter, the checks that the profile leaves out of an engine that compiles

    def __post_init__(self) -> None:
        for field in ("name", "engine", "version", "mode", "error"):
            msgspec.structs.force_setattr(self, field, printable(getattr(self, field)))


class SpecLine(msgspec.Struct, frozen=True):
    """Which specification was run: its version and a digest of its rows, clauses and checks."""

    version: str
    digest: str


class RunLine(msgspec.Struct, frozen=True, tag="run"):
    """The header: everything needed to run again."""

    schema: int
    id: str
    started: str  # ISO 8601, UTC
    profile: str
    seed: int
    spec: SpecLine
    host: dict[str, str]
    backends: tuple[BackendLine, ...]
    queries: tuple[str, ...] = ()
    shard: str = ""
    ids: tuple[str, ...] = ()  # of a run of chosen questions, such as those that failed before

    @property
    def is_part(self) -> bool:
        """Whether it asks less than its profile has."""
        return bool(self.queries or self.shard or self.ids)


class Evidence(msgspec.Struct, frozen=True, omit_defaults=True):
    """What is needed to believe a verdict other than pass, and to see it again.

    Arrays are nested lists of numbers; NaN and infinities are the strings "nan", "inf", "-inf",
    complex numbers strings as Python writes them, "1+2j".
    `case` holds op, operands, parameters, cotangent and dtype where the subject is an op. Where a gradient is
    not the rule's, `fault` says whose fault that is by the `diagnostics`: "engine wrong", "rule wrong" or "adapter wrong";
    they are about the gradient of `operand` at the entry `where`.
    """

    message: str
    call: str = ""  # the case in a line: its op, shapes, parameters and dtype
    case: dict[str, Any] = {}
    expected: Any = None
    got: Any = None
    allowed: Any = None  # same shape as expected
    also: tuple[
        str, ...
    ] = ()  # the messages of other failures of the check, and of this one's case before it was made small
    raised: str = ""  # of an exception: the adapter's line, and the one that raised it
    step: str = ""  # of an exception: which of the check's calls it came of
    unshrunk: str = ""  # why smaller cases were not all tried; empty where they were
    pattern: str = ""  # what was got is beside what is expected, such as "what is expected times 2"
    because: str = ""  # where what is allowed to the entry furthest out comes from
    where: str = ""  # "[0, 2]": the entry that is furthest out
    token: str = ""
    script: str = ""
    fault: str = ""
    diagnostics: tuple[Diagnostic, ...] = ()
    operand: int | None = None
    reason: str = ""  # of a known failure
    failed_as: str = ""  # of a known failure: its verdict where it is not listed
    kind: str = ""  # of a known failure: what its entry calls it
    link: str = ""

    def __post_init__(self) -> None:
        for field in ("message", "because", "where", "reason"):
            msgspec.structs.force_setattr(self, field, printable(getattr(self, field)))
        msgspec.structs.force_setattr(
            self, "script", printable(self.script, len(self.script))
        )  # whole: a part is no program

    @property
    def place(self) -> tuple[int, ...]:
        """The indices that `where` writes; none where it writes something else."""
        parts = [part.strip() for part in self.where.strip("[]").split(",")]
        return tuple(map(int, parts)) if all(map(str.isdecimal, parts)) else ()


class ResultLine(msgspec.Struct, frozen=True, tag="result", omit_defaults=True):
    """One verdict: a backend, a subject, a check, a dtype.

    `subject` is an op's name (kind "op"), a clause (kind "contract"), a special point (kind "point"),
    "program", "history", "example" or "capability". `error` is the worst |got - expected| over what is
    allowed; `ulp` is in units in the last place of the expected value. `accuracy` counts every entry that was
    compared with an oracle; files of before it have none. `cases` counts the cases that decided, `undecided` those in
    which a wrong answer would have passed too, or which cannot decide the claim. `measured` has what a reported
    clause measures, by name: seconds, ratios, counts. `rows` numbers the rows of the op's design that decided, or have no entries, in the
    one check of each op that sees all of them; `levels` and `pairs` say how many levels of factors, and pairs of them,
    these rows have, of how many. `declined` has the reasons for which the engine does not offer some cases.
    """

    id: str
    backend: str
    kind: str
    subject: str
    check: str
    clause: str
    level: str
    dtype: str
    verdict: Verdict
    cases: int
    seconds: float
    undecided: int = 0
    declined: tuple[str, ...] = ()
    rows: tuple[int, ...] = ()
    levels: tuple[int, int] | None = None
    pairs: tuple[int, int] | None = None
    error: float | None = None
    ulp: float | None = None
    accuracy: Accuracy | None = None
    measured: dict[str, float] | None = None
    evidence: Evidence | None = None
    atlas: AtlasCell | None = None

    @property
    def check_key(self) -> str:
        """The key of its check, as `conformance list checks` prints it: `op/vjp`, `contract/B1/fan-out`."""
        by_clause = f"{self.kind}/{self.clause}/{self.check}"
        return by_clause if self.id == f"{self.backend}/{by_clause}" else f"{self.kind}/{self.check}"

    @property
    def reason(self) -> str:
        """Why the verdict is what it is: the reason of a known failure, or the message; empty where there is neither."""
        return (self.evidence.reason or self.evidence.message) if self.evidence else ""


class CrossEngineLine(msgspec.Struct, frozen=True, tag="cross_engine"):
    """What another engine of the run gives for a case: one more diagnostic of the result `id`."""

    id: str
    diagnostic: Diagnostic


class TimingLine(msgspec.Struct, frozen=True, tag="timing", omit_defaults=True):
    """One measurement: a workload of one size on one backend; times in seconds.

    `ratio` is to hand-written NumPy, `ratio_to_reference` to the reference engine, each with a
    95 % interval over the interleaved rounds, which reaches to the ratio of the least times. A wrong gradient has
    no number but a `refused` reason. A `doubt` marks what a busy machine disturbed, or what cannot be true.
    """

    workload: str
    size: str
    backend: str
    dtype: str
    what: str  # "forward" or "gradient"
    median: float | None = None
    low: float | None = None  # first quartile
    high: float | None = None  # third quartile
    rounds: int = 0
    compile_seconds: float | None = None
    ratio: float | None = None
    ratio_low: float | None = None
    ratio_high: float | None = None
    ratio_to_reference: float | None = None
    refused: str = ""
    idioms: tuple[
        str, ...
    ] = ()  # what stands for ops that the engine has not by that name: "relu as maximum(x, 0)"
    doubt: str = ""  # why the number cannot be trusted
    share: float | None = None  # of a core that the process had while this was measured
    spread: float | None = None  # median over minimum of a fixed loop, meanwhile


class ProofLine(msgspec.Struct, frozen=True, tag="proof"):
    """How a row of the catalogue was proven: `error` is the worst relative disagreement."""

    op: str
    oracle: str
    error: float
    cases: int


class MutantLine(msgspec.Struct, frozen=True, tag="mutant"):
    """One engine wrong on purpose: the checks that must catch it, and all those that did."""

    name: str
    wrong: str
    named: tuple[str, ...]
    killers: tuple[str, ...]


class EndLine(msgspec.Struct, frozen=True, tag="end"):
    """The footer: the run came to its end, and these are its counts by verdict."""

    complete: bool
    counts: dict[str, int]
    seconds: float = 0.0
    exit_code: int = 0
    trouble: tuple[str, ...] = ()  # what went wrong in this project or kept workers from starting
    budget: float = 0.0  # seconds that the run had; 0 without a limit, or where it ended at its first failure
    not_asked: dict[
        str, int
    ] = {}  # by chapter, questions for which these did not suffice; they have no results
    left_out: tuple[str, ...] = ()  # ops of which processes died: the other questions were asked without them
    unexplained: tuple[str, ...] = ()  # ends of processes at questions that have answers in others, in words

    @property
    def shortfall(self) -> str:
        """What the budget, or a run that ends at its first failure, left out, in words; empty where that is nothing."""
        if not self.not_asked:
            return ""
        chapters = ", ".join(f"{chapter} {count}" for chapter, count in self.not_asked.items())
        total = sum(self.not_asked.values())
        if not self.budget:
            return f"it ended at its first failure, before {total} questions ({chapters})"
        return f"the budget of {self.budget:g} s did not suffice for {total} questions ({chapters})"


def with_cross_engine(
    results: Iterable[ResultLine], cross_engine_answers: Iterable[CrossEngineLine]
) -> list[ResultLine]:
    """The results, each with what the other engines say of its case added to its diagnostics."""
    said: dict[str, list[Diagnostic]] = {}
    for line in cross_engine_answers:
        said.setdefault(line.id, []).append(line.diagnostic)
    return [_joined(result, said.get(result.id, ())) for result in results]


def _joined(result: ResultLine, said: Sequence[Diagnostic]) -> ResultLine:
    if not said or result.evidence is None:
        return result
    diagnostics = (*result.evidence.diagnostics, *said)
    return msgspec.structs.replace(
        result, evidence=msgspec.structs.replace(result.evidence, diagnostics=diagnostics)
    )


def counts_of(results: Iterable[ResultLine]) -> dict[str, int]:
    """How many of the results have each verdict; one that none has is left out."""
    return dict(Counter(result.verdict.value for result in results))


Line = RunLine | ResultLine | CrossEngineLine | TimingLine | ProofLine | MutantLine | GeneratedLine | EndLine
