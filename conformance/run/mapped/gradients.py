"""The gradients of the calls of one op whose values are right."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from conformance.backend import Backend
from conformance.case import Array, Case
from conformance.checks.observation import Observation, Oracle, plain
from conformance.dtype import carried
from conformance.errors import Unsupported, Violation, hold_no_stop, is_ctrl_c
from conformance.op import Op
from conformance.ops.names import MULTIPLY
from conformance.run.explanations import is_near
from conformance.run.forms import signature_of
from conformance.run.mapped.findings import Finding, raised
from conformance.run.mapped.values import brief, rounding_of, tolerance
from conformance.run.verdict import is_slip

GRADIENTS = 3  # calls of different ranks, of each op, of which the gradient is computed as well
GRADIENT = ", gradient"  # what the name of a call has after it where its gradient is asked for
ENOUGH = 2  # gradients, of one operand or of all, none of which arrives where the function left the engine
# What nobody raises to refuse: the engine, or the op's function, stumbled.
STUMBLES = (AttributeError, LookupError, NameError, ArithmeticError, RecursionError, AssertionError)
CUT = (
    "does the function leave the engine, through NumPy, Python's numbers or detach? Then keep it inside. If the engine "
    "drops the gradient, that is its fault, which a known failure settles: conformance run … -q op/{op}, then conformance "
    "known update --kind fault, and pass --known to smoke. `no_gradient` does not settle it: that is for an op "
    "whose gradient the engine refuses"
)


@dataclass
class _Collected:
    """What came of the gradients of an op's calls, so far.

    Attributes:
        refused: calls whose gradient was refused, or whose call ended a process.
        suspect: gradients that are wrong, or of which one did not arrive.
        slips: errors that the adapter's own lines raise.
        arrived: the operands whose gradient is not zero, each with whether anything arrives there.
        missing: what is wrong with the gradient of an operand, per position.
        stumbled: calls of `refused` in which the engine, or the op's function, stumbled rather than refused.
    """

    refused: list[Finding] = field(default_factory=list)
    suspect: list[Finding] = field(default_factory=list)
    slips: list[Finding] = field(default_factory=list)
    arrived: list[tuple[int, bool]] = field(default_factory=list)
    missing: dict[int, list[Finding]] = field(default_factory=lambda: defaultdict(list))
    stumbled: set[str] = field(default_factory=set)


def gradients_of_calls(
    backend: Backend,
    op: Op,
    cases: Sequence[Case],
    note: Callable[[str], None],
    deadly: Mapping[str, str],
) -> tuple[Finding | None, tuple[Finding, ...], tuple[Finding, ...]]:
    """How every gradient is refused, those that are wrong, and slips of the adapter."""
    few = [*_different(cases), *([] if backend.compiles_signatures else _of_other_parameters(cases))]
    if op.is_flat:
        return _barred(backend, op, few[:1], note, deadly), (), ()
    collected = _Collected()
    for case in few:
        _collect(collected, backend, op, case, note, deadly)
    for case in (case for case in cases if case not in few):
        if collected.arrived or collected.slips or not collected.refused:
            break  # others are called where every gradient is refused: it may be for the sake of these calls
        _collect(collected, backend, op, case, note, deadly)
    return _judged(collected, backend, op, cases, deadly)


def _collect(
    collected: _Collected,
    backend: Backend,
    op: Op,
    case: Case,
    note: Callable[[str], None],
    deadly: Mapping[str, str],
) -> None:
    """Add what comes of the gradient of one call."""
    seen, call = Observation(backend, Oracle(op, case)), case.label + GRADIENT
    if call in deadly:
        collected.refused.append(Finding(call, deadly[call], signature=signature_of(case)))
        return
    note(call)
    try:
        gradients = seen.answer.gradients
    except Unsupported:
        return
    except Violation as violation:  # such as one of another shape: it came
        collected.suspect.append(raised(case, violation, backend, signature_of(case)))
        collected.arrived += [(operand, True) for operand in seen.wrt]
        return
    except BaseException as error:
        if is_ctrl_c(error):
            raise
        finding = raised(case, error, backend, signature_of(case))
        (collected.slips if is_slip(error, type(backend)) else collected.refused).append(finding)
        if isinstance(error, STUMBLES):
            collected.stumbled.add(finding.call)
        return
    collected.arrived += _arrivals(seen, gradients)
    for position, got in enumerate(gradients):
        wrong = _wrong_gradient(seen, position, got)
        if wrong:
            finding = Finding(case.label, wrong, signature=signature_of(case))
            collected.suspect.append(finding)
            collected.missing[seen.wrt[position]].append(finding)


def _judged(
    collected: _Collected, backend: Backend, op: Op, cases: Sequence[Case], deadly: Mapping[str, str]
) -> tuple[Finding | None, tuple[Finding, ...], tuple[Finding, ...]]:
    """What `gradients_of_calls` returns, of all that its calls showed."""
    refused, suspect, arrived = collected.refused, collected.suspect, collected.arrived
    survived = [finding for finding in refused if finding.call not in deadly]
    if survived and not arrived:
        if any(_leaves_the_engine(backend, op, case) for case in _different(cases)):
            return None, (), (*collected.slips, _dropped(op, survived[0], survived[0].message))
        shown = [f for f in survived if not any(0 in s for s in f.signature.shapes)]  # the others show little
        if any(finding.call not in collected.stumbled for finding in shown):
            return survived[0], (), tuple(collected.slips)
    if len(arrived) >= ENOUGH and not any(came for _, came in arrived):
        dropped = _dropped(op, suspect[0], _as_a_run_says(suspect[0].message))
        return None, tuple(refused), (*collected.slips, dropped)
    lost = _lost(arrived, collected.missing)
    missing = [_dropped(op, first, _as_a_run_says(first.message)) for first, *_ in lost]
    left = [finding for finding in suspect if not any(finding in findings for findings in lost)]
    return None, (*left, *refused), (*collected.slips, *missing)


def _lost(
    arrived: Sequence[tuple[int, bool]], missing: Mapping[int, Sequence[Finding]]
) -> list[Sequence[Finding]]:
    """What is wrong with each operand whose gradient never comes, though those of others do.

    One of 0-d operands alone may be an engine's constant: that stays with the hint that says so.
    """
    return [
        missing[operand]
        for operand in _never_come(arrived)
        if any(finding.signature.shapes[operand] for finding in missing[operand])
    ]


def _dropped(op: Op, first: Finding, message: str) -> Finding:
    """That no gradient of the op arrives, in the call in which it shows first."""
    explanation = CUT.format(op=op.name)
    return replace(
        first, message=message, place="", is_raised=False, explanation=explanation, is_dropped=True
    )


def _barred(
    backend: Backend, op: Op, cases: Sequence[Case], note: Callable[[str], None], deadly: Mapping[str, str]
) -> Finding | None:
    """How a flat op with indices or truth values as its value is refused of operands that need a gradient.

    None where it is computed, as by most engines. Of one with real values that is a convention (E19).
    """
    for case in cases:
        seen, call = Observation(backend, Oracle(op, case)), case.label + GRADIENT
        is_real = np.asarray(op.reference(*map(carried, case.operands), **case.parameters)).dtype.kind == "f"
        if is_real or not seen.wrt:
            continue
        if call in deadly:
            return Finding(call, deadly[call], signature=signature_of(case))
        note(call)
        try:
            backend.trace(
                backend.call(op.name, case.parameters), [np.array(x) for x in case.operands], seen.wrt
            )
        except Unsupported:
            continue
        except BaseException as error:
            if is_ctrl_c(error):
                raise
            return raised(case, error, backend, signature_of(case))
    return None


def next_gradient(backend: Backend, op: Op, cases: Sequence[Case]) -> bool | str:
    """Whether a gradient of the calls comes, up to the first that shows it; that call where its gradient is refused."""
    few = _different(cases)
    collected = _Collected()
    for case in [] if op.is_flat else [*few, *(case for case in cases if case not in few)]:
        _collect(collected, backend, op, case, lambda call: None, {})
        if collected.refused or collected.slips:
            return case.label
        if collected.arrived:
            return any(came for _, came in collected.arrived)
    return False


def refuses_products(backend: Backend, dtype: str) -> bool:
    """Whether the engine computes no gradient of a product now, as it did before others were refused."""
    if backend.is_spelling or MULTIPLY not in backend.ops:
        return False
    x = np.asarray([3, 5], dtype)
    try:
        _, gradients = backend.vjp(backend.op(MULTIPLY), [np.array(x), np.array(x)], [np.ones_like(x)])
        for gradient in gradients:
            plain(backend, gradient)
    except BaseException as error:
        hold_no_stop(error)
        return True
    return False


def _leaves_the_engine(backend: Backend, op: Op, case: Case) -> bool:
    """Whether the value, multiplied by a variable, lets that have its gradient, and the operands none.

    Of what was computed outside, many engines refuse a backward call as they refuse that of an op without a gradient.
    """
    if MULTIPLY not in backend.ops or op.has_several_outputs:
        return False
    of_op, times, count = backend.call(op.name, case.parameters), backend.op(MULTIPLY), len(case.operands)
    (g,), wrt = case.cotangents, Oracle(op, case).wrt
    try:
        _, gradients = backend.vjp(
            lambda *xs: times(of_op(*xs[:count]), xs[count]),
            [*(np.array(x) for x in case.operands), np.ones_like(g)],
            [np.array(g)],
            [*wrt, count],
        )
        arrived = [x is not None and bool(np.any(plain(backend, x))) for x in gradients]
    except BaseException as error:
        # It does not let a product pass either: the engine has no gradient of the op.
        hold_no_stop(error)
        return False
    return arrived[-1] and not any(arrived[:-1])


def _as_a_run_says(message: str) -> str:
    """The message that a run has for it, by which a known failure is found."""
    what, is_none, _ = message.partition(" is None, ")
    return f"{what} was dropped: the engine gave None" if is_none else message


def _arrivals(seen: Observation, gradients: Sequence[Array | None]) -> list[tuple[int, bool]]:
    """Each operand whose gradient is not zero, with whether anything arrives there."""
    exact = [expected.exact for expected in seen.expected]
    came = [g is not None and bool(np.any(g)) for g in gradients]
    return [(i, is_here) for i, is_here, z in zip(seen.wrt, came, exact, strict=True) if z.any()]


def _never_come(arrived: Sequence[tuple[int, bool]]) -> list[int]:
    """The operands whose gradient arrives in none of enough calls, though those of others do."""
    of_operand: dict[int, list[bool]] = defaultdict(list)
    for operand, is_here in arrived:
        of_operand[operand].append(is_here)
    return [i for i, here in sorted(of_operand.items()) if len(here) >= ENOUGH and not any(here)]


def _different(cases: Sequence[Case]) -> list[Case]:
    """A few cases of different ranks, with entries before empty ones."""
    ranked = sorted(cases, key=lambda c: not all(x.size for x in c.operands))
    by_rank = {tuple(x.ndim for x in case.operands): case for case in reversed(ranked)}
    return list(by_rank.values())[::-1][:GRADIENTS]


def _of_other_parameters(cases: Sequence[Case]) -> list[Case]:
    """For each value of a parameter that those of different ranks do not have a case with it, with entries where there is one."""
    chosen = _different(cases)
    seen = {setting for case in chosen for setting in _settings(case)}
    further: list[Case] = []
    for case in sorted(cases, key=lambda c: not all(x.size for x in c.operands)):
        if not _settings(case) <= seen:
            further.append(case)
            seen |= _settings(case)
    return further


def _settings(case: Case) -> set[str]:
    return {f"{name}={value!r}" for name, value in case.parameters.items()}


def _wrong_gradient(seen: Observation, position: int, got: Array | None) -> str:
    exact, what = seen.expected[position].exact, seen.label(position)
    if got is None:
        is_scalar = not seen.case.operands[seen.wrt[position]].ndim
        hint = " (of a 0-d operand: does the engine take it for a constant?)" if is_scalar else ""
        return f"{what} is None, expected {brief(exact.astype(float))}{hint}" if exact.any() else ""
    if got.shape != exact.shape:
        return f"{what} has shape {got.shape}, expected {exact.shape}"
    if is_near(got, exact.astype(float), 100 * tolerance(seen.case.dtype), rounding_of(seen.case)):
        return ""
    distance = np.where(np.isfinite(got), np.abs(got - exact), np.inf)
    place = np.unravel_index(int(np.argmax(distance)), got.shape)
    at = f" at {[int(i) for i in place]}" if place else ""
    return f"{what} is {got[place]:.6g}{at}, expected {float(exact[place]):.6g}; the value is right"
