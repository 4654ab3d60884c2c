"""The mapping of an adapter, op by op: each op is called in its forms, and compared with its reference.

A slip of the mapping (a wrong axis, a wrong order of operands, a parameter that is not handed on) makes a value that is
far from the reference value; a fault of an engine that computes well does not. So the comparison is coarse.
"""

from __future__ import annotations

import inspect
import traceback
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from conformance.backend import Backend, as_tuple
from conformance.case import Array, Case
from conformance.checks.e_values.flat_ops import is_kind_of, on_jumps
from conformance.checks.observation import Observation, Oracle
from conformance.dtype import carried, finfo
from conformance.errors import ConformanceError, Unsupported, is_ctrl_c
from conformance.op import Op, Signature
from conformance.run.explanations import explanation, is_near
from conformance.run.forms import COMPILED_FORMS, FORMS, case_of, forms_of, signature_of
from conformance.run.lacking import accepted_otherwise, confirmed, lacking_values, not_accepted_elsewhere
from conformance.run.verdict import is_slip

GRADIENTS = 3  # calls of each op of which the gradient is computed as well


@dataclass(frozen=True)
class Finding:
    """One call that an engine does not answer as its reference does.

    Attributes:
        call: the op with its shapes and parameters.
        message: what came instead, and what was expected.
        place: where the exception was raised; empty where there was none.
        explanation: what would make the answer right.
        signature: the shapes and parameters of the call.
    """

    call: str
    message: str
    place: str = ""
    explanation: str = ""
    signature: Signature = field(default_factory=lambda: Signature(()))


@dataclass(frozen=True)
class MappedOp:
    """What came of one op.

    Attributes:
        op: its name.
        calls: how many forms of a call were tried.
        slips: calls in which the adapter raises, or whose value is not that of the reference.
        refused: calls that the engine refuses.
        not_offered: calls for which the adapter raises Unsupported, with its reasons.
        ungradable: how the engine refuses every gradient of the op; None where it gives one.
        suspect: gradients that are wrong, or refused now and then, though the value is right: the engine's.
        lacking: the parameter values that all refused calls have, and no other.
    """

    op: str
    calls: int
    slips: tuple[Finding, ...] = ()
    refused: tuple[Finding, ...] = ()
    not_offered: tuple[Finding, ...] = ()
    ungradable: Finding | None = None
    suspect: tuple[Finding, ...] = ()
    lacking: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)


def try_mapping(
    backend: Backend, op: Op, dtype: str, note: Callable[[str], None] = lambda call: None
) -> MappedOp:
    """Call one op in its forms, in one dtype, and compare what comes with the reference; `note` hears of each call."""
    found: dict[str, list[Finding]] = {"slip": [], "refused": [], "not offered": []}
    right: list[Case] = []
    signatures = forms_of(op, COMPILED_FORMS if backend.compiles_signatures else FORMS)
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for signature in signatures:
            case = case_of(op, signature, dtype)
            note(case.label)
            kind, finding = _tried(backend, op, case, signature)
            if finding is None:
                kind, finding = _tried_on_jumps(backend, op, case, signature)
            if finding is None:
                right.append(case)
            else:
                found[kind].append(finding)
        ungradable, suspect, slips = _gradients(backend, op, right, note)

        def is_refused(signature: Signature) -> bool | None:
            kind, _ = _tried(backend, op, case_of(op, signature, dtype), signature)
            return None if kind == "not offered" else kind == "refused"

        refused = [finding.signature for finding in found["refused"]]
        lacking = lacking_values(refused, [signature_of(case) for case in right])
        lacking = confirmed(op, lacking, is_refused)

        def is_accepted(case: Case) -> bool:
            return _tried(backend, op, case, signature_of(case))[0] in ("", "slip")

        lacking = not_accepted_elsewhere(op, lacking, right, is_accepted)
        lacking = accepted_otherwise(op, lacking, [case_of(op, s, dtype) for s in refused], is_accepted)
    return MappedOp(
        op.name,
        len(signatures),
        (*found["slip"], *slips),
        tuple(found["refused"]),
        tuple(found["not offered"]),
        ungradable,
        suspect,
        lacking,
    )


# ---- one call ---------------------------------------------------------------------------------------


def _tried(backend: Backend, op: Op, case: Case, signature: Signature) -> tuple[str, Finding | None]:
    try:
        values = Observation(backend, Oracle(op, case)).forward()
    except Unsupported as reason:
        return "not offered", Finding(case.label, str(reason), signature=signature)
    except BaseException as error:
        if is_ctrl_c(error):
            raise
        kind = "slip" if is_slip(error, type(backend)) else "refused"
        return kind, _raised(case, error, backend, signature)
    wrong = difference(op, case, values)
    if not wrong:
        return "", None
    return "slip", Finding(case.label, wrong, "", explanation(op, case, values), signature)


def _tried_on_jumps(backend: Backend, op: Op, case: Case, signature: Signature) -> tuple[str, Finding | None]:
    """A flat op is tried again at the places where it jumps: at halves, whole numbers, and equal operands."""
    if not (op.is_flat and isinstance(op.reference, np.ufunc)):
        return "", None
    operands = tuple(on_jumps(x) for x in case.operands)
    return _tried(backend, op, replace(case, operands=operands), signature)


def difference(op: Op, case: Case, values: Sequence[Array]) -> str:
    """How an engine's values differ from the reference's, coarsely; empty where they do not."""
    references = as_tuple(op.reference(*map(carried, case.operands), **case.parameters))
    if len(values) != len(references):
        return f"{len(values)} values, where the reference has {len(references)}"
    for got, reference in zip(values, map(np.asarray, references), strict=True):
        if got.shape != reference.shape:
            return f"the value has shape {got.shape}, expected {reference.shape}"
        if reference.dtype.kind in "iub" and not is_kind_of(got.dtype, reference.dtype):
            return f"the value has dtype {got.dtype}, expected {reference.dtype}"
        is_real_value = reference.dtype.kind in "fc"  # of whole numbers the width is not specified
        if is_real_value and got.dtype != reference.dtype and case.dtype == operand_dtype(case):
            return f"the value has dtype {got.dtype}, expected {reference.dtype}"
        if not is_near(got, reference, tolerance(case.dtype)):
            return f"the value is {_brief(got)}, expected {_brief(reference)}"
    return ""


def operand_dtype(case: Case) -> str:
    """The dtype in which the reference computes the case; another than the case's where NumPy computes badly in that."""
    return str(np.result_type(*map(carried, case.operands)).name) if case.operands else case.dtype


def tolerance(dtype: str) -> float:
    """The error, over the largest entry, up to which a value counts as that of the reference."""
    return max(1e-4, 16 * float(finfo(dtype).eps))


def _brief(values: Array) -> str:
    text = np.array2string(
        np.asarray(carried(values)),
        precision=4,
        separator=", ",
        threshold=12,
        edgeitems=2,
        suppress_small=True,
    )
    return " ".join(text.split())


def _raised(case: Case, error: BaseException, backend: Backend, signature: Signature) -> Finding:
    first = (str(error).strip().splitlines() or [""])[0][:200]
    name = "" if isinstance(error, ConformanceError) else f"{type(error).__name__}: "
    return Finding(case.label, f"{name}{first}", place_of(error, backend), signature=signature)


def place_of(error: BaseException, backend: Backend) -> str:
    """Where an exception was raised: the innermost line of the adapter's folder, and the innermost of all."""
    frames = traceback.extract_tb(error.__traceback__)
    if not frames:
        return ""
    folder = str(Path(inspect.getfile(type(backend))).parent)
    own = [f for f in frames if str(Path(f.filename).parent) == folder]
    last = [f for f in frames if Path(__file__).parents[1] not in Path(f.filename).parents]
    shown = [f"{Path(f.filename).name}:{f.lineno}" for f in (*own[-1:], *last[-1:])]
    return " → ".join(dict.fromkeys(shown))


# ---- gradients --------------------------------------------------------------------------------------


def _gradients(
    backend: Backend, op: Op, cases: Sequence[Case], note: Callable[[str], None]
) -> tuple[Finding | None, tuple[Finding, ...], tuple[Finding, ...]]:
    """How every gradient is refused, those that are wrong, and slips of the adapter."""
    refused: list[Finding] = []
    suspect: list[Finding] = []
    slips: list[Finding] = []
    computed = 0
    for case in [] if op.is_flat else _different(cases):
        seen = Observation(backend, Oracle(op, case))
        note(f"{case.label}, gradient")
        try:
            gradients = seen.answer.gradients
        except Unsupported:
            continue
        except BaseException as error:
            if is_ctrl_c(error):
                raise
            finding = _raised(case, error, backend, signature_of(case))
            (slips if is_slip(error, type(backend)) else refused).append(finding)
            continue
        computed += 1
        for position, got in enumerate(gradients):
            wrong = _wrong_gradient(seen, position, got)
            if wrong:
                suspect.append(Finding(case.label, wrong, signature=signature_of(case)))
    if refused and not computed:
        return refused[0], (), tuple(slips)
    return None, (*suspect, *refused), tuple(slips)


def _different(cases: Sequence[Case]) -> list[Case]:
    """A few cases of different ranks, with entries before empty ones."""
    ranked = sorted(cases, key=lambda c: not all(x.size for x in c.operands))
    by_rank = {tuple(x.ndim for x in case.operands): case for case in reversed(ranked)}
    return list(by_rank.values())[::-1][:GRADIENTS]


def _wrong_gradient(seen: Observation, position: int, got: Array | None) -> str:
    exact, what = seen.expected[position].exact, seen.label(position)
    if got is None:
        is_scalar = not seen.case.operands[seen.wrt[position]].ndim
        hint = " (of a 0-d operand: does the engine take it for a constant?)" if is_scalar else ""
        return f"{what} is None, expected {_brief(exact.astype(float))}{hint}" if exact.any() else ""
    if got.shape != exact.shape:
        return f"{what} has shape {got.shape}, expected {exact.shape}"
    if is_near(got, exact.astype(float), 100 * tolerance(seen.case.dtype)):
        return ""
    distance = np.where(np.isfinite(got), np.abs(got - exact), np.inf)
    place = np.unravel_index(int(np.argmax(distance)), got.shape)
    at = f" at {[int(i) for i in place]}" if place else ""
    return f"{what} is {got[place]:.6g}{at}, expected {float(exact[place]):.6g}; the value is right"
