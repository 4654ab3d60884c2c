"""What `smoke` prints of ops, a block for each cause, with the ops that it concerns, and of conventions."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from conformance.run.lacking import is_explained
from conformance.run.mapped.findings import Finding, MappedOp
from conformance.run.mapped.gradients import GRADIENT
from conformance.runfile.texts import in_brief_lines, in_one_line, without_commands

if TYPE_CHECKING:
    from conformance.atlas.conventions import MeasuredConvention

# Of one cause, a message differs in numbers, quoted names and lists, and in the line of the adapter that made the call.
OF_THE_CALL = re.compile(r"'[^']*'|\"[^\"]*\"|\[[^\]]*\]|\([^)]*\)|\d[\d.e+-]*")
UNSTEADY = "right in a process of its own, wrong after other calls: the engine takes one call for another"
BEYOND = "an axis that there is not is answered"
OF_BEYOND = (
    "where the adapter's function counts axes anew, as `axis % ndim` does, let it raise for others, or hand the axis on; "
    "where the engine itself answers, it is the engine's, which op/invalid-call of a run says"
)
SPOILS = (
    "after this, other gradients of the process are refused; those of other ops were asked in another one"
)
OF_A_FACTOR = (
    "where the adapter multiplies the output by the cotangent, the product broadcasts and casts it, not the engine: "
    "raise Unsupported for one of another shape or dtype"
)
OF_THE_ADAPTER = MappingProxyType(  # what an adapter may have done, by the clause that then fails
    {
        "A4": OF_A_FACTOR,
        "A5": OF_A_FACTOR,
        "A16": "if the adapter makes floating point of integers, let it raise TypeError: for it, the engine has none; "
        "if the engine itself does, that is the engine's fault, and nothing is to do",
        "C4": 'declare what array() makes beside a leaf: "none" where that gets no gradient. Where needs_gradient(leaf, False) '
        "drops the gradients of others, the checks of C4 then fail, which is the engine's; where there is no such flag, "
        "leave out FREEZING",
        "C6": "checkpoint() returns the engine's checkpointed function, not the function itself",
    }
)
FAR = (
    "at operands far from 1 the value is another: is the op the engine's own, or a formula of the adapter that overflows or cancels there? "
    "Name the engine's function if it has one; what its function computes is its fault, and a run shows it"
)
IN_SOME = (
    "other values of `{}` are refused in some calls and taken in others, which `lacks` cannot say: let the function raise "
    "conformance.errors.Unsupported for those that the engine refuses"
)
SIGNS = MappingProxyType(
    {"C6": "was called 0 times"}
)  # what a failure says where it may be so, where others are the engine's
UNTAKEN = re.compile(r"got an unexpected keyword argument '(\w+)'")
CAUSES = 3  # calls of an op that are shown, each of another cause
SHOWN = 8  # ops that the first line of a block names


@dataclass(frozen=True)
class Remark:
    """What is to be said of one op.

    Attributes:
        mark: what kind of thing it is, such as "BAD".
        op: its name.
        what: what is wrong, of one op or of several.
        message: how it shows; remarks of one mark, `what` and message are of one cause.
        share: in how many of its calls.
        is_raised: whether the message is an exception's.
        others: what else is wrong with it; remarks of several causes are of one block where they have them all.
        details: further lines, those of the first op of a block.
    """

    mark: str
    op: str
    what: str
    message: str = ""
    share: str = ""
    details: tuple[str, ...] = ()
    is_raised: bool = False
    others: tuple[str, ...] = ()


def remarks(op: MappedOp, reason: str = "", *, has_declared: bool = False) -> Iterator[Remark]:
    """What is to be said of an op: slips of the mapping first, then what is the engine's, such as what is known.

    `has_declared` says that the adapter declares that the op has no gradient.
    """
    if reason:
        wrong = [finding for finding in op.slips if not finding.is_dropped]
        yield Remark("KNOWN", op.op, reason, share=_share(wrong, op) if wrong else "")
    else:
        yield from _bad(op)
    if op.unsteady:
        yield _of_findings("ENG", op, op.unsteady, UNSTEADY)
    if op.spoils and not op.slips:
        first = op.ungradable or next(f for f in op.suspect if f.is_raised)
        yield Remark("ENG", op.op, SPOILS, shown_message(first), is_raised=True)
    lacking = lacking_of(op)
    for name, values in lacking.items():
        shown = ", ".join(written(value) for value in values)
        of_these = [f for f in op.refused if is_explained(f.signature, {name: values})]
        of_entries = [f for f in of_these if not any(0 in shape for shape in f.signature.shapes)]
        (said, _), *_ = Counter(map(shown_message, of_entries or of_these)).most_common(1)
        yield Remark("LACK", op.op, f"the engine refuses {name} = {shown}", said, is_raised=True)
    refused = [f for f in op.refused if not is_explained(f.signature, lacking)]
    if refused:
        only = (
            f"it is computed in {op.dtype}: op() may raise Unsupported for other operands" if op.dtype else ""
        )
        said = "refused by the engine, unless it is called wrongly"
        some = next((name for name in lacking if any(name in f.signature.parameters for f in refused)), "")
        in_some = IN_SOME.format(some) if some else ""
        yield _of_findings("REF", op, refused, said, "" if lacking else op.contrast, only, in_some)
    if op.ungradable and has_declared:
        yield Remark("not", op.op, "no gradient, as `no_gradient` declares")
    elif op.ungradable:
        said, hint = shown_message(op.ungradable), _of_a_keyword(op.op, op.ungradable)
        yield Remark("GRAD", op.op, "no gradient", said, details=(said, hint) if hint else (), is_raised=True)
    suspect = [f for f in op.suspect if not (has_declared and f.is_raised)]
    if suspect:
        yield _of_findings("ENG", op, suspect, "the value is right, the gradient is the engine's")
    elif op.suspect:
        yield Remark(
            "not", op.op, "no gradient in some calls, as `no_gradient` declares", share=_share(op.suspect, op)
        )
    if op.far:
        yield Remark("SAY", op.op, FAR, details=(f"{op.far[0].call}: {op.far[0].explanation}",))
    if op.beyond:
        yield Remark("SAY", op.op, BEYOND, details=(f"{op.beyond.call}: {op.beyond.message}", OF_BEYOND))
    for finding in op.taken:
        yield Remark("HAS", op.op, finding.message, finding.call)
    alike: dict[str, list[Finding]] = {}
    for finding in op.not_offered:
        alike.setdefault(OF_THE_CALL.sub("#", finding.message), []).append(finding)
    for findings in alike.values():
        others = len({finding.message for finding in findings}) - 1
        said = findings[0].message + (f", and {others} such" if others else "")
        where = "" if len(findings) == op.calls else " in some calls"
        equal = tuple(f"{f.call}: {f.explanation}" for f in findings if f.explanation)[:1]
        yield Remark("not", op.op, f"not offered{where}: {said}", "".join(equal), _share(findings, op))


def _of_a_keyword(op: str, finding: Finding) -> str:
    """What to do where what is called for a gradient does not take a parameter of the call, though the value's function does."""
    for name in UNTAKEN.findall(finding.message):
        if name in finding.signature.parameters:
            value = written(finding.signature.parameters[name])
            return (
                f"with operands that need a gradient the engine's {op} does not take its call's `{name}`, here {value}: "
                f'leave `{name}` out where that is what the engine does, and declare the other values, lacks = {{"{op}": {{"{name}": (…,)}}}}'
            )
    return ""


def _bad(op: MappedOp) -> Iterator[Remark]:
    """Calls that the adapter makes wrongly, and gradients of which none arrives, though the values are right."""
    slips = [finding for finding in op.slips if not finding.is_dropped]
    if slips:
        claim = "fails in the adapter" if slips[0].is_raised else "not the op that the catalogue means"
        defines = f"conformance explain {op.op}    defines it, with a call for each parameter"
        besides = f"of its further calls {op.known} are known" if op.known else ""
        yield _of_findings("BAD", op, slips, claim, besides, defines)
    dropped = [finding for finding in op.slips if finding.is_dropped]
    if dropped:
        claim = "a gradient does not arrive in any call of which it was computed"
        remark = _of_findings("BAD", op, dropped, claim)
        yield replace(remark, share="")  # it is of all calls, and found in one


def convention_line(convention: MeasuredConvention) -> str:
    """What the engine does where a clause leaves it open, beside what is declared."""
    clause, declared = convention.clause, convention.declared
    said = f"declared {declared!r}" if declared else "not declared"
    if convention.reason:
        return f"{clause.number:4} is not checked: {in_one_line(convention.reason)}"
    if not convention.found:
        return f"{clause.number:4} FAILS: none of {', '.join(clause.conventions)} ({said}): {clause.sentence}"
    if len(convention.found) > 1 and not convention.is_settled:
        either = " or ".join(convention.found)
        return f"{clause.number:4} cannot tell: {either} ({said}); declare what the engine promises: {clause.sentence}"
    but = "".join(f"; {op}: {choice}" for op, choice in convention.exceptions.items())
    if convention.is_settled:
        return f"{clause.number:4} {declared}{but}"
    return f"{clause.number:4} {' or '.join(convention.found)}{but} ({said}): {clause.sentence}"


def contradictions(convention: MeasuredConvention) -> Iterator[str]:
    """Why none of a clause's conventions holds, each reason once, and what it is where it is the adapter's."""
    choices: dict[str, list[str]] = {}
    for choice, failure in {} if convention.found else convention.failures.items():
        choices.setdefault(failure, []).append(repr(choice))
    yield from (f"not {', '.join(which)}: {failure}" for failure, which in choices.items())
    number = convention.clause.number
    if number in OF_THE_ADAPTER and any(SIGNS.get(number, "") in failure for failure in choices):
        yield f"hint: {OF_THE_ADAPTER[number]}"


def blocks(found: Iterable[Remark]) -> Iterator[str]:
    """The remarks, one block for each cause, where the first of its ops stands."""
    by_cause: dict[tuple[str, str, str, tuple[str, ...]], list[Remark]] = {}
    for remark in found:
        cause = (remark.mark, remark.what, _cause(remark), remark.others)
        by_cause.setdefault(cause, []).append(remark)
    for alike in by_cause.values():
        yield from _block(alike)


def _cause(remark: Remark) -> str:
    """What messages of one cause share: what is said, and the engine's file that says it."""
    if not remark.is_raised:
        return remark.message  # wrong numbers are of each op's own
    said, _, place = remark.message.partition("  at ")
    said = re.sub(
        rf"\b({re.escape(remark.op)}|__\w+__)\b", "#", said
    )  # the function that says it, by its own name
    return f"{OF_THE_CALL.sub('#', said)} {place.partition(' → ')[2].rpartition(':')[0]}"


def _block(alike: Sequence[Remark]) -> Iterator[str]:
    first = alike[0]
    if len(alike) == 1:
        yield f"  {first.mark:5} {first.op}: {first.what}" + (f", {first.share}" if first.share else "")
    else:
        yield f"  {first.mark:5} {len(alike)} ops: {first.what}"
        ops = [f"{r.op} ({r.share})" if r.share else r.op for r in alike]
        for start in range(0, len(ops), SHOWN):
            yield f"          {', '.join(ops[start : start + SHOWN])}"
    if first.message and not first.details:
        yield without_commands(in_brief_lines(f"          {first.message}"))
    for line in first.details:
        yield without_commands(in_brief_lines(f"          {line}"))


def _of_findings(mark: str, op: MappedOp, findings: Sequence[Finding], what: str, *further: str) -> Remark:
    first, *others = _by_cause(findings)
    causes = tuple(_cause_of(other) for other in others) if mark == "BAD" else ()
    others = others[: CAUSES - 1]
    further_calls = [line for f in others for line in (f"{f.call}: {shown_message(f)}", f.explanation)]
    details = (f"{first.call}: {shown_message(first)}", first.explanation, *further_calls, *further)
    shown = tuple(filter(None, details))
    share = _share(findings, op)
    return Remark(mark, op.op, what, shown_message(first), share, shown, first.is_raised, causes)


def _by_cause(findings: Sequence[Finding]) -> list[Finding]:
    """The first finding of each cause."""
    causes: dict[str, Finding] = {}
    for finding in findings:
        causes.setdefault(_cause_of(finding), finding)
    return list(causes.values())


def _cause_of(finding: Finding) -> str:
    """What findings of one cause share: of an exception what it says, of wrong values what explains them, where anything does."""
    said = finding.message if finding.is_raised or not finding.explanation else finding.explanation
    return OF_THE_CALL.sub("#", said)


def _share(findings: Sequence[Finding], op: MappedOp) -> str:
    calls = {
        finding.call.removesuffix(GRADIENT) for finding in findings
    }  # of which several gradients may be wrong
    return f"in {len(calls)} of {op.calls} calls"


def lacking_of(op: MappedOp) -> Mapping[str, tuple[Any, ...]]:
    """The parameter values that are refused; none where every call is that is offered: then nothing shows that they are why."""
    return op.lacking if len(op.refused) + len(op.not_offered) < op.calls else {}


def shown_message(finding: Finding) -> str:
    """What came instead, and where it was raised."""
    return finding.message + (f"  at {finding.place}" if finding.place else "")


def written(value: Any) -> str:
    """A declaration as Python writes it."""
    if isinstance(value, type):
        return value.__name__
    if isinstance(value, Mapping):
        return "{" + ", ".join(f'"{key}": {written(part)}' for key, part in value.items()) + "}"
    if isinstance(value, frozenset):
        return "frozenset({" + ", ".join(f'"{part}"' for part in sorted(value)) + "})"
    if isinstance(value, tuple):
        return "(" + ", ".join(map(written, value)) + ("," if len(value) == 1 else "") + ")"
    if isinstance(value, float) and not math.isfinite(value):
        return f'float("{value}")'
    return f'"{value}"' if isinstance(value, str) else repr(value)
