"""The mapping of an adapter, op by op: each op is called in its forms, and compared with its reference.

A slip of the mapping (a wrong axis, a wrong order of operands, a parameter that is not handed on) makes a value that is
far from the reference value; a fault of an engine that computes well does not. So the comparison is coarse.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from conformance.backend import Backend, as_tuple
from conformance.case import Case
from conformance.checks.observation import Observation, Oracle
from conformance.errors import hold_no_stop
from conformance.op import Op, Signature
from conformance.parameters import lacked_parameter
from conformance.run.forms import COMPILED_FORMS, FORMS, case_of, forms_of, signature_of
from conformance.run.lacking import (
    accepted_otherwise,
    confirmed,
    lacking_values,
    not_accepted_elsewhere,
    with_those_of_points,
    without_repeats,
)
from conformance.run.mapped.beyond import answered_beyond
from conformance.run.mapped.calls import NO_CALLS, Calls, called
from conformance.run.mapped.contrasts import refused_values, with_equal_calls
from conformance.run.mapped.far import wrong_far_from_1
from conformance.run.mapped.findings import Finding, MappedOp
from conformance.run.mapped.gradients import gradients_of_calls
from conformance.run.mapped.other_numbers import of_another_sign
from conformance.run.mapped.shown_values import (
    FURTHER,
    FURTHER_COMPILED,
    further_calls,
)
from conformance.run.mapped.taken import taken_values, with_every_value
from conformance.run.mapped.values import (
    changed_values,
    narrowed,
    operand_dtype,
    written_operands,
)

WIDTHS = ("float64", "float32")
GRADIENTS = 3  # calls whose gradients must arrive before it is said that an op has one
GIVEN = "`no_gradient` has it, of {key!r}, and its gradients in {dtype} come and are right: leave it out, or name the dtypes that have none"
PROMOTED = (
    "does the function make an array itself, such as np.asarray(1.0)? Give it the dtype of the operands"
)


def try_mapping(
    backend: Backend,
    op: Op,
    dtype: str,
    note: Callable[[str], None] = lambda call: None,
    deadly: Mapping[str, str] = NO_CALLS,
) -> MappedOp:
    """Call one op in its forms, in one dtype, and compare what comes with the reference.

    `note` hears of each call before it is made. `deadly` calls are not made again: they ended the process, in the way
    that is said of each.
    """
    calls = Calls(backend, op, dtype, note, deadly)
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        _make(calls)
        right = calls.right
        calls.slips += [*_narrow(backend, op, right), *_side_effects(backend, op, right)]
        calls.slips += _promoted(calls)
        ungradable, suspect, slips = gradients_of_calls(backend, op, right, note, deadly)
        is_wrong = bool(calls.slips or slips)
        far = () if is_wrong else wrong_far_from_1(backend, op, right, note, deadly)
        not_offered = _with_equal_calls(calls)
        refused = [finding.signature for finding in calls.refused if finding.call not in deadly]
        contrast = refused_values(refused, [signature_of(case) for case in right])
        lacking = _lacking(calls, refused)
        beyond = answered_beyond(calls)
    return MappedOp(
        op.name,
        len(calls.made),
        (*calls.slips, *slips),
        tuple(calls.refused),
        tuple(not_offered),
        ungradable,
        suspect,
        lacking,
        far=far,
        contrast=contrast,
        beyond=beyond,
    )


def _make(calls: Calls) -> None:
    """Make the calls of the op: its forms, and, where their values are right, those that show each parameter."""
    is_compiled = calls.backend.compiles_signatures
    forms_of(calls.op, COMPILED_FORMS if is_compiled else FORMS, calls.is_offered)
    if calls.refused and calls.right and not calls.slips and not is_compiled:
        # What is refused showed no value of a parameter. Where nothing is answered, others would not be either.
        forms_of(calls.op, FORMS, calls.replaces)
    if calls.slips:
        return
    further = FURTHER_COMPILED if is_compiled else FURTHER
    further_calls(calls.op, calls.right, calls.dtype, further, calls.is_shown, calls.not_taken)
    if (other := of_another_sign(calls.op, calls.right)) is not None:
        calls.is_shown(*other)


def _with_equal_calls(calls: Calls) -> Sequence[Finding]:
    """The calls that are not offered; of those that `lacks` does not declare, with an equal call that is answered."""
    op, lacks = calls.op, calls.backend.lacks
    if calls.backend.compiles_signatures:
        return calls.not_offered
    declared = [f for f in calls.not_offered if lacked_parameter(op.name, f.signature.parameters, lacks)]
    others = [(f, calls.case(f.signature)) for f in calls.not_offered if f not in declared]
    return [*with_equal_calls(op, others, lambda case: not calls.tried(case)[0]), *declared]


def _lacking(calls: Calls, refused: Sequence[Signature]) -> Mapping[str, tuple[Any, ...]]:
    """The parameter values that all refused calls have, and no other; further calls are made to see that."""

    def is_refused(signature: Signature) -> bool | None:
        kind, _ = calls.tried(calls.case(signature))
        return None if kind == "not offered" else kind == "refused"

    def is_accepted(case: Case) -> bool:
        return calls.tried(case)[0] in ("", "slip")

    op, right = calls.op, calls.right
    lacking = lacking_values(refused, [signature_of(case) for case in right])
    lacking = confirmed(op, lacking, is_refused)
    lacking = not_accepted_elsewhere(op, lacking, right, is_accepted)
    lacking = accepted_otherwise(op, lacking, [calls.case(s) for s in refused], is_accepted)
    lacking = with_those_of_points(op, lacking, right, lambda case: calls.tried(case)[0] == "refused")
    # A value that one call alone excludes is none of these: the function itself must say which calls are not offered.
    lacking = not_accepted_elsewhere(op, confirmed(op, lacking, is_refused), right, is_accepted)
    return without_repeats(lacking)


# ---- one call ---------------------------------------------------------------------------------------


def is_right(backend: Backend, op: Op, dtype: str, signature: Signature, seed: int = 0) -> bool:
    """Whether one call has the reference's value."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return called(backend, op, case_of(op, signature, dtype, seed=seed), signature)[1] is None


def right_cases(backend: Backend, op: Op, dtype: str) -> list[Case]:
    """The calls of one op whose values are right."""
    right: list[Case] = []

    def is_offered(signature: Signature) -> bool:
        case = case_of(op, signature, dtype)
        kind, finding = called(backend, op, case, signature)
        right.extend([case] if finding is None else [])
        return kind != "not offered"

    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        forms_of(op, COMPILED_FORMS if backend.compiles_signatures else FORMS, is_offered)
    return right


def declared_but_taken(backend: Backend, op: Op, dtype: str) -> tuple[Finding, ...]:
    """The values that `lacks` declares of an op, though all calls with them are right, with their gradients."""
    other = with_every_value(backend, op)

    def is_taken(case: Case) -> bool:
        if called(other, op, case, signature_of(case))[1] is not None:
            return False
        return not any(gradients_of_calls(other, op, [case], lambda call: None, NO_CALLS))

    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return tuple(taken_values(backend, op, dtype, is_taken))


def refused_but_given(backend: Backend, op: Op, dtype: str) -> tuple[Finding, ...]:
    """The first call of an op that `no_gradient` declares, where the gradients of all its calls come, and are right."""
    keys = [key for key in (dtype, "*") if op.name in backend.no_gradient.get(key, ())]
    if not keys or op.is_flat:
        return ()
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        cases = [case for case in right_cases(backend, op, dtype) if all(x.size for x in case.operands)]
        wrong = not cases or any(gradients_of_calls(backend, op, cases, lambda call: None, NO_CALLS))
        if wrong or not all(_arrives(backend, op, case) for case in cases[:GRADIENTS]):
            return ()
    said = GIVEN.format(key=keys[0], dtype=dtype)
    return (Finding(cases[0].label, said, signature=signature_of(cases[0])),)


def _arrives(backend: Backend, op: Op, case: Case) -> bool:
    """Whether each operand has a gradient, and one is not zero everywhere."""
    gradients = Observation(backend, Oracle(op, case)).vjp().gradients
    return all(g is not None for g in gradients) and any(g is not None and g.any() for g in gradients)


def _narrow(backend: Backend, op: Op, right: Sequence[Case]) -> list[Finding]:
    """Whether the values of every call that shows it have the digits of float32: those of one call may have them by chance."""
    narrow: list[Finding] = []
    for case in right:
        said = narrowed(op, case, Observation(backend, Oracle(op, case)).forward())
        if said == "":
            return []
        if said:
            narrow.append(Finding(case.label, said, signature=signature_of(case)))
    return narrow if len(narrow) > 1 else []


def _promoted(calls: Calls) -> list[Finding]:
    """Whether the value of operands of another width is of this one, as beside an array that the function makes itself."""
    backend, op, dtype = calls.backend, calls.op, calls.dtype
    full = next((case for case in calls.right if case.operands and all(x.size for x in case.operands)), None)
    if full is None or dtype not in WIDTHS:
        return []
    for other in [d for d in backend.dtypes if d in WIDTHS and d != dtype]:
        case = case_of(op, signature_of(full), other)
        calls.note(case.label)
        try:
            values = Observation(backend, Oracle(op, case)).forward()
        except BaseException as error:  # it need not have this op in another dtype
            hold_no_stop(error)
            continue
        expected = [np.asarray(z).dtype for z in as_tuple(op.reference(*case.operands, **case.parameters))]
        for got, kind in zip(values, expected, strict=True):
            if kind == case.dtype == operand_dtype(case) and got.dtype == dtype:
                said = f"the value has dtype {got.dtype}, the reference value {kind}"
                return [Finding(case.label, said, "", PROMOTED, signature_of(case), dtype=other)]
    return []


def _side_effects(backend: Backend, op: Op, right: Sequence[Case]) -> list[Finding]:
    """An operand that a call writes into, or the value of a call that the next one writes into, in the first call that has entries; an engine that compiles it cannot be asked."""
    for case in [] if backend.compiles_signatures else right:
        if all(x.size > 1 for x in case.operands):
            said = written_operands(backend, op, case) or changed_values(backend, op, case)
            return [Finding(case.label, said, signature=signature_of(case))] if said else []
    return []
