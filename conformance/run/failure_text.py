"""A failure as text: subject, claim, place, numbers, the allowance, and how to see it again."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import Any

from conformance.checks import load_all
from conformance.checks.other_calls import other_call_of
from conformance.clauses import STANDARD
from conformance.runfile.records import BackendLine, ResultLine, Verdict
from conformance.runfile.texts import in_brief_lines, without_commands

LONGEST_COMMAND = 8000  # characters of the command that asks again
LONGEST_VALUES = 160  # characters of a call's numbers; of larger arrays they are in the script


def failure_text(result: ResultLine, backend: BackendLine | None) -> str:
    """The message of one result that is not a pass."""
    evidence = result.evidence
    mode = f" ({backend.mode})" if backend and backend.mode else ""
    engine = f"{backend.engine} {backend.version}{mode}" if backend else result.backend
    message = evidence.message if evidence else result.verdict.value
    lines = [f"{engine} · {result.subject} · {message}"]
    check = load_all().get(result.check_key)
    if evidence and evidence.call:
        words = f"{other_call_of(check.function)} " if check else ""
        lines.append(f"  call    {words.lstrip()}{evidence.call}")
    if evidence and (values := _values(evidence.case)):
        lines.append(f"  values  {values}")
    if evidence and evidence.where:
        lines.append(f"  at {evidence.where}: {_numbers(result)}")
    if evidence and evidence.pattern:
        lines.append(f"  pattern {evidence.pattern}")
    if evidence and evidence.step:
        lines.append(f"  step    {evidence.step}")
    if evidence and evidence.raised:
        lines.append(f"  raised  {evidence.raised}")
    if evidence and evidence.because:
        lines.append(f"  allowed {evidence.because}")
    if evidence and evidence.unshrunk:
        lines.append(f"  case    perhaps not the smallest: {evidence.unshrunk}")
    if evidence and evidence.diagnostics:
        lines.append(f"  fault   {evidence.fault}, by the diagnostics")
        lines += [f"  diagnostic {diagnostic.line}" for diagnostic in evidence.diagnostics]
    if result.verdict is Verdict.FIXED:
        lines.append("  fixed   it passes now: take it out of the known-failures file")
    lines = [in_brief_lines(line) for line in lines]  # what is to be copied is below
    if check:
        lines.append(f"  claim   {check.claim}")
    clause = STANDARD.get(result.clause)
    if clause:
        lines.append(f"  clause  {clause.number} {clause.sentence}")
    if evidence and evidence.token:
        only = "" if evidence.token.startswith("k1:") else f" --check {result.check_key}"
        named = f"{evidence.token} --on {_spec_of(result, backend)}{only}"
        if len(named) > LONGEST_COMMAND:  # no shell takes the numbers of a large array
            named = f"{shlex.quote(result.id)} --run the-run-file.jsonl"
        lines.append(f"  again   conformance replay {named}")
        if (
            evidence.script
        ):  # neither without a dialect nor of a crash or a timeout, which recording would meet again
            lines.append("          as a script: add --script")
    return without_commands("\n".join(lines))


def _spec_of(result: ResultLine, backend: BackendLine | None) -> str:
    """What names the backend on a command line."""
    return shlex.quote(backend.spec if backend and backend.spec else result.backend)


def _numbers(result: ResultLine) -> str:
    """What was got and expected at the place, and what error is allowed there."""
    evidence = result.evidence
    assert evidence is not None
    got, expected, allowed = (
        _at(values, evidence.place) for values in (evidence.got, evidence.expected, evidence.allowed)
    )
    text = f"got {got}, expected {expected}"
    if allowed is None:
        return text
    return f"{text}, allowed error {float(allowed):.2g} in {result.dtype or 'its dtype'}"


def _at(values: Any, place: Sequence[int]) -> Any:
    for index in place:
        if not isinstance(values, list) or index >= len(values):
            return values
        values = values[index]
    return values


def _values(case: dict[str, Any]) -> str:
    """The numbers of a call of an op, where they are few: operands, then cotangents."""
    parts = (case.get(name) for name in ("operands", "cotangent"))
    operands, cotangents = (
        "; ".join(str(x).replace("'", "") for x in part) if isinstance(part, list) else "" for part in parts
    )
    text = f"{operands}; cotangent {cotangents}" if cotangents else operands
    return text if operands and len(text) <= LONGEST_VALUES else ""
