"""The mapping of an adapter, op by op: each op is called in its forms, and compared with its reference.

A slip of the mapping (a wrong axis, a wrong order of operands, a parameter that is not handed on) makes a value that is
far from the reference value; a fault of an engine that computes well does not. So the comparison is coarse.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import numpy as np

from conformance.backend import Backend, as_tuple
from conformance.case import Case
from conformance.checks.observation import Observation, Oracle
from conformance.errors import Unsupported, is_ctrl_c
from conformance.op import Op, Signature
from conformance.parameters import lacked_parameter
from conformance.run.explanations import explanation
from conformance.run.forms import COMPILED_FORMS, FORMS, case_of, forms_of, signature_of
from conformance.run.lacking import (
    accepted_otherwise,
    confirmed,
    lacking_values,
    not_accepted_elsewhere,
    with_those_of_points,
    without_repeats,
)
from conformance.run.mapped.contrasts import refused_values, with_equal_calls
from conformance.run.mapped.far import wrong_far_from_1
from conformance.run.mapped.findings import Finding, MappedOp, raised
from conformance.run.mapped.gradients import gradients_of_calls
from conformance.run.mapped.other_numbers import OTHER_NUMBERS, of_another_sign
from conformance.run.mapped.shown_values import (
    FURTHER,
    FURTHER_COMPILED,
    further_calls,
    in_single_precision,
)
from conformance.run.mapped.taken import taken_values, with_every_value
from conformance.run.mapped.values import (
    changed_values,
    difference,
    narrowed,
    operand_dtype,
    written_operands,
)
from conformance.run.verdict import is_slip

WIDTHS = ("float64", "float32")
PROMOTED = (
    "does the function make an array itself, such as np.asarray(1.0)? Give it the dtype of the operands"
)
CLOSE = "the value is near the expected one, and is that of other parameters"
NO_CALLS: Mapping[str, str] = MappingProxyType({})


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
    found: dict[str, list[Finding]] = {"slip": [], "refused": [], "not offered": []}
    right: list[Case] = []
    made: list[Signature] = []
    count = COMPILED_FORMS if backend.compiles_signatures else FORMS

    def tried(case: Case) -> tuple[str, Finding | None]:
        signature = signature_of(case)
        if case.label in deadly:
            return "refused", Finding(case.label, deadly[case.label], signature=signature)
        note(case.label)
        return _called(backend, op, case, signature)

    def is_offered(signature: Signature) -> bool:
        """Whether the call counts as a form: where each may be compiled before it is refused, those not offered do, too.

        What is declared lacking is not called, so that it never counts.
        """
        case = case_of(op, signature, dtype)
        made.append(signature)
        kind, finding = tried(case)
        if finding is None:
            right.append(case)
        else:
            found[kind].append(finding)
        is_lacked = lacked_parameter(op.name, signature.parameters, backend.lacks)
        return kind != "not offered" or (backend.compiles_signatures and not is_lacked)

    def is_shown(case: Case, seed: int = 0) -> bool:
        """Whether the value of a further call is right; it counts as a call where it is not."""
        if lacked_parameter(op.name, case.parameters, backend.lacks):
            return False
        kind, finding = tried(case)
        if finding is not None and kind != "not offered":
            made.append(signature_of(case))
            found[kind].append(replace(finding, seed=seed))
        return finding is None

    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        forms_of(op, count, is_offered)
        if not found["slip"]:
            further = FURTHER_COMPILED if backend.compiles_signatures else FURTHER
            not_taken = [finding.signature for finding in found["refused"] + found["not offered"]]
            further_calls(op, right, dtype, further, is_shown, not_taken)
            if (other := of_another_sign(op, right)) is not None:
                is_shown(*other)
        found["slip"] += [*_narrow(backend, op, right), *_side_effects(backend, op, right)]
        found["slip"] += _promoted(backend, op, dtype, right, note)
        ungradable, suspect, slips = gradients_of_calls(backend, op, right, note, deadly)
        far = () if found["slip"] or slips else wrong_far_from_1(backend, op, right, note, deadly)
        not_offered = _with_equal_calls(backend, op, dtype, found["not offered"], tried)
        refused = [finding.signature for finding in found["refused"] if finding.call not in deadly]
        contrast = refused_values(refused, [signature_of(case) for case in right])
        lacking = _lacking(op, dtype, refused, right, tried)
    return MappedOp(
        op.name,
        len(made),
        (*found["slip"], *slips),
        tuple(found["refused"]),
        tuple(not_offered),
        ungradable,
        suspect,
        lacking,
        far=far,
        contrast=contrast,
    )


def _with_equal_calls(
    backend: Backend,
    op: Op,
    dtype: str,
    findings: Sequence[Finding],
    tried: Callable[[Case], tuple[str, Finding | None]],
) -> Sequence[Finding]:
    """The calls that are not offered; of those that `lacks` does not declare, with an equal call that is answered."""
    if backend.compiles_signatures:
        return findings
    declared = [f for f in findings if lacked_parameter(op.name, f.signature.parameters, backend.lacks)]
    others = [(f, case_of(op, f.signature, dtype)) for f in findings if f not in declared]
    return [*with_equal_calls(op, others, lambda case: not tried(case)[0]), *declared]


def _lacking(
    op: Op,
    dtype: str,
    refused: Sequence[Signature],
    right: Sequence[Case],
    tried: Callable[[Case], tuple[str, Finding | None]],
) -> Mapping[str, tuple[Any, ...]]:
    """The parameter values that all refused calls have, and no other; further calls are made to see that."""

    def is_refused(signature: Signature) -> bool | None:
        kind, _ = tried(case_of(op, signature, dtype))
        return None if kind == "not offered" else kind == "refused"

    def is_accepted(case: Case) -> bool:
        return tried(case)[0] in ("", "slip")

    lacking = lacking_values(refused, [signature_of(case) for case in right])
    lacking = confirmed(op, lacking, is_refused)
    lacking = not_accepted_elsewhere(op, lacking, right, is_accepted)
    lacking = accepted_otherwise(op, lacking, [case_of(op, s, dtype) for s in refused], is_accepted)
    lacking = with_those_of_points(op, lacking, right, lambda case: tried(case)[0] == "refused")
    return without_repeats(lacking)


# ---- one call ---------------------------------------------------------------------------------------


def is_right(backend: Backend, op: Op, dtype: str, signature: Signature, seed: int = 0) -> bool:
    """Whether one call has the reference's value."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return _called(backend, op, case_of(op, signature, dtype, seed=seed), signature)[1] is None


def right_cases(backend: Backend, op: Op, dtype: str) -> list[Case]:
    """The calls of one op whose values are right."""
    right: list[Case] = []

    def is_offered(signature: Signature) -> bool:
        case = case_of(op, signature, dtype)
        kind, finding = _called(backend, op, case, signature)
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
        if _called(other, op, case, signature_of(case))[1] is not None:
            return False
        return not any(gradients_of_calls(other, op, [case], lambda call: None, NO_CALLS))

    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return tuple(taken_values(backend, op, dtype, is_taken))


def _called(backend: Backend, op: Op, case: Case, signature: Signature) -> tuple[str, Finding | None]:
    """What came of a call, and of the same with other numbers where those show more."""
    kind, finding = _tried(backend, op, case, signature)
    for further in OTHER_NUMBERS:
        if finding is None and (again := further(op, case)) is not None:
            kind, finding = _tried(backend, op, again, signature)
    return kind, finding


def _tried(backend: Backend, op: Op, case: Case, signature: Signature) -> tuple[str, Finding | None]:
    try:
        values = Observation(backend, Oracle(op, case)).forward()
    except Unsupported as reason:
        return "not offered", Finding(case.label, str(reason), signature=signature)
    except BaseException as error:
        if is_ctrl_c(error):
            raise
        # What would end a process is no refusal, whoever raises it.
        is_wrong = is_slip(error, type(backend)) or not issubclass(type(error), Exception)
        kind = "slip" if is_wrong else "refused"
        return kind, raised(case, error, backend, signature)
    wrong = difference(op, case, values)
    if not wrong and (rounded := in_single_precision(op, case, values)):
        return "slip", Finding(case.label, CLOSE, "", rounded, signature, is_value=True)
    if not wrong:
        return "", None
    return "slip", Finding(case.label, wrong, "", explanation(op, case, values), signature, is_value=True)


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


def _promoted(
    backend: Backend, op: Op, dtype: str, right: Sequence[Case], note: Callable[[str], None]
) -> list[Finding]:
    """Whether the value of operands of another width is of this one, as beside an array that the function makes itself."""
    full = next((case for case in right if case.operands and all(x.size for x in case.operands)), None)
    if full is None or dtype not in WIDTHS:
        return []
    for other in [d for d in backend.dtypes if d in WIDTHS and d != dtype]:
        case = case_of(op, signature_of(full), other)
        note(case.label)
        try:
            values = Observation(backend, Oracle(op, case)).forward()
        except Exception:  # it need not have this op in another dtype
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
