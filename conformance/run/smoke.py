"""The smoke test: what an adapter must get right before its engine can be judged."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from conformance.backend import Backend, Capability
from conformance.checks.comparison import hold_equal
from conformance.checks.declared_refusals import op_to_name
from conformance.checks.engine_calls import full_sum
from conformance.checks.observation import plain
from conformance.checks.registry import NotThisCase
from conformance.diagnosis.pattern import pattern_of
from conformance.errors import AdapterError, Unsupported, Violation, error_text, is_ctrl_c, text_of
from conformance.ops import ALL_OPS
from conformance.ops.names import ADD, MULTIPLY
from conformance.returned import WHAT_IS_RETURNED
from conformance.run.claims import again, anew, effects, errors, inside, members, orders, probes
from conformance.run.claims.arrays import (
    complex_numbers,
    flat_kinds,
    layouts,
    not_taken,
    products,
    read_between,
    round_trip,
    written_later,
)
from conformance.run.claims.capabilities import (
    array_of,
    claims_of,
    cleared,
    real_dtype,
    written,
)
from conformance.run.claims.scripts import hold_names, run_scripts
from conformance.run.mapped.findings import place_of

IN_AND_OUT = "{} goes in and comes out"
FIRST = "name first: "  # an op of which a claim is made, and which the adapter does not name
FOLLOWS = "perhaps of the same cause as what is BAD above: correct that first"


@dataclass(frozen=True)
class SmokeQuestion:
    """A claim about an adapter, how it is tried, and where to look if it does not hold.

    `is_basic` says that nothing else can be tried where the claim does not hold.
    """

    claim: str
    try_it: Callable[[Backend], Any]
    hint: str
    is_basic: bool = False


def version_of(backend: Backend) -> str:
    """The engine's version; "unknown" where version() raises, which is a claim of its own."""
    try:
        return str(backend.version())
    except Exception:
        return "unknown"


def _named(backend: Backend) -> None:
    if not backend.engine or not str(backend.version()):
        raise Violation(f"engine {backend.engine!r}, version {backend.version()!r}")


def _unnamed(backend: Backend) -> None:
    """An op that the adapter does not name is one that it does not offer, also where it wraps each op."""
    for name in [name for name in ALL_OPS if name not in backend.ops][:1]:
        with contextlib.suppress(Unsupported):
            backend.op(name)
            raise Violation(f"`ops` does not name {name}, and op() returns a function for it")


def _sum(backend: Backend) -> None:
    (output,) = backend.forward(backend.op(ADD), [array_of(backend, [1, 2]), array_of(backend, [10, 20])])
    hold_equal(plain(backend, output), array_of(backend, [11, 22]), "[1, 2] + [10, 20]")


def _product(backend: Backend) -> None:
    x, w, g = (array_of(backend, values) for values in ([1, 2], [3, 5], [1, -1]))
    _, gradients = backend.vjp(backend.op(MULTIPLY), [x, w], [g])
    if len(gradients) != 2:
        raise Violation(f"two operands, but {len(gradients)} gradients")
    hold_equal(plain(backend, gradients[0]), g * w, "x's gradient of x * w with cotangent [1, -1]")
    hold_equal(plain(backend, gradients[1]), g * x, "w's gradient of x * w with cotangent [1, -1]")


def _positions(backend: Backend) -> None:
    """One operand alone needs a gradient; one array stands at both places."""
    x, w, g = (array_of(backend, values) for values in ([1, 2], [3, 5], [1, -1]))
    multiply = backend.op(MULTIPLY)
    for index, expected in ((0, g * w), (1, g * x)):
        _, gradients = backend.vjp(multiply, [np.array(x), np.array(w)], [g], [index])
        if len(gradients) != 1:
            raise Violation(f"wrt=[{index}]: {len(gradients)} gradients, expected 1")
        hold_equal(plain(backend, gradients[0]), expected, f"the gradient of x * w, wrt=[{index}]")
    _, (gradient,) = backend.vjp(lambda a: multiply(a, a), [np.array(x)], [g])
    hold_equal(plain(backend, gradient), 2 * g * x, "the gradient of x * x, one array at both places")


def _scalar(backend: Backend) -> None:
    total = full_sum(backend)
    (gradient,) = backend.gradient(lambda x: total(x), [array_of(backend, [1, 2])])
    hold_equal(plain(backend, gradient), np.ones(2), "the gradient of a sum")


def _zero_dimensional(backend: Backend) -> None:
    x, w, g = (array_of(backend, value) for value in (3, 5, 2))
    _, (gradient, _) = backend.vjp(backend.op(MULTIPLY), [x, w], [g])
    if gradient is None:
        raise Violation(
            "the gradient of a 0-d operand is None, while that of [1, 2] is an array: the engine takes what leaf() "
            "makes of a 0-d array for a constant"
        )
    hold_equal(plain(backend, gradient), np.asarray(10.0), "the gradient of 0-d operands")


def questions(backend: Backend) -> Iterator[SmokeQuestion]:
    """The claims, in the dtypes of the adapter; of what only spells ops those about its arrays."""
    yield from _about_arrays(backend)
    if not backend.is_spelling:
        real = [dtype for dtype in backend.dtypes if not dtype.startswith("complex")]
        yield from _about_calls(real, has_numbers=() not in not_taken(backend))
        for claims in (orders.claims_of, claims_of):
            yield from (SmokeQuestion(*claim) for claim in claims(backend))
        yield from _about_scripts(backend)
        for module in (
            probes,
            effects,
            inside,
            anew,
            again,
            members,
            errors,
        ):  # those that may end a process last
            yield from (SmokeQuestion(*claim) for claim in module.claims_of(backend))


def _about_arrays(backend: Backend) -> Iterator[SmokeQuestion]:
    yield SmokeQuestion("the engine has a name and a version", _named, "set `engine`, and let version() return the engine's, such as engine.__version__")  # fmt: skip
    for dtype in backend.dtypes:
        yield SmokeQuestion(
            IN_AND_OUT.format(dtype),
            round_trip(dtype),
            f"array() and numpy() keep values, dtype and shape, 0-d and empty ones too; if the engine has no {dtype}, drop it from `dtypes`",
            dtype == real_dtype(backend),
        )
    yield SmokeQuestion(
        "integers and truth values go in and come out",
        flat_kinds,
        "operands that index or select must not become floating point; where the engine has no such arrays, array() and leaf() raise Unsupported",
    )
    if not any(dtype.startswith("complex") for dtype in backend.dtypes):
        yield SmokeQuestion(
            "complex numbers go in and come out, or are refused",
            complex_numbers,
            "where the engine has none, array() and leaf() raise TypeError: np.asarray(value, float) drops the imaginary part",
        )
    yield SmokeQuestion(
        "any memory layout goes in",
        layouts,
        "array() and leaf() get operands with strides, negative ones too; np.array(value, order='C') is a plain copy for an engine that cannot read them",
    )


def _about_calls(dtypes: Sequence[str], *, has_numbers: bool) -> Iterator[SmokeQuestion]:
    """Those about a call, in each of the real `dtypes`, and about numbers where the engine has 0-d arrays."""
    yield SmokeQuestion("an op that is not named is not offered", _unnamed, "op() gets every name of the catalogue: begin with super().op(name)")  # fmt: skip
    yield SmokeQuestion(
        "add is found and adds",
        _sum,
        "name the engine's function in `ops` under the catalogue's name",
        is_basic=True,
    )
    yield SmokeQuestion(
        "the gradients of a product are right",
        _product,
        "operands in order; one gradient per operand; the cotangent is passed on",
        is_basic=True,
    )
    yield SmokeQuestion(
        "one operand alone, or one array twice, has its gradient",
        _positions,
        "`wrt` names the operands that need a gradient; the others are constants",
    )
    for dtype in dtypes:
        yield SmokeQuestion(
            f"a product in {dtype} and its gradients have the operands' shape, dtype and digits",
            products(dtype),
            f"numpy() and grad() neither reshape nor cast; an engine that computes {dtype} in another dtype has no {dtype}: drop it from `dtypes`",
        )
    if has_numbers:
        yield SmokeQuestion(
            "0-d operands have 0-d gradients",
            _zero_dimensional,
            "neither leaf() nor grad() may add an axis; leaf() makes what a user of the engine would differentiate",
        )
        yield SmokeQuestion(
            "a scalar needs no cotangent",
            _scalar,
            "gradient() must work for a scalar output; `sum` takes axis and keepdims by keyword",
        )
    yield SmokeQuestion(
        "what the caller writes into an array after a call changes no value of that call",
        written_later,
        "array() copies where the engine reads its operands later than it is called: np.array(value) does",
    )


def _about_scripts(backend: Backend) -> Iterator[SmokeQuestion]:
    """Those about how calls are written, and about reading values, which comes last."""
    if backend.dialect is not None:
        yield SmokeQuestion(
            "the scripts of a few calls run",
            lambda b: run_scripts(b, _claims_of_scripts(b)),
            "correct `dialect`, which writes them, or leave it out: reports, and known failures, have such scripts",
        )
        yield SmokeQuestion(
            "the scripts of all ops define what they name",
            hold_names,
            "scripts quote the entries of `ops`, with the functions, values and imports of the adapter's own files that "
            "these name: define a name at the top level of such a file, by an import, a def or a plain assignment; write an op "
            "that a loop adds as an entry of its own, or let `dialect.call` write it",
        )
    yield SmokeQuestion("reading a value changes no gradient", read_between, "numpy() must not replace the array by its computed value: read a copy, or detach() first")  # fmt: skip


def _claims_of_scripts(backend: Backend) -> list[Callable[[Any], None]]:
    further = {Capability.CLEARING: cleared, Capability.WRITABLE: written}
    return [_product, _scalar, *(claim for need, claim in further.items() if need in backend.capabilities)]


def numbers_of(error: BaseException) -> str:
    """What came instead of what a violation expects, and what it is beside that; empty where it has no numbers."""
    if not isinstance(error, Violation) or error.got is None:
        return ""
    expected = f", expected {error.expected}" if error.expected is not None else ""
    pattern = pattern_of(error)
    return f", got {error.got}{expected}" + (f": {pattern}" if pattern else "")


IN_THE_ENGINE = "or the engine's own fault, where a script of the engine alone raises this too: then a known failure settles it"


def hint_for(question: SmokeQuestion, answer: str) -> str:
    """Where to look; in the engine too, where one of its lines raised; on the page of the protocol, where that is broken."""
    if answer.startswith(f"{AdapterError.__name__}: ") and "() returns " in answer:
        return WHAT_IS_RETURNED
    if question.hint.startswith(again.BY_ID) and again.AGAIN not in answer:
        return again.AT_ONCE
    _, _, place = answer.rpartition("  at ")
    return f"{question.hint}; {IN_THE_ENGINE}" if " → " in place else question.hint


def changed_dtypes(backend: Backend, answers: Mapping[str, str]) -> list[str]:
    """The dtypes in which arrays come back changed, by what contradicts the claims: of them the ops need not be asked."""
    return [dtype for dtype in backend.dtypes if answers.get(IN_AND_OUT.format(dtype))]


def try_question(question: SmokeQuestion, backend: Backend) -> str:
    """What is wrong, and where it was raised; empty where the claim holds, or cannot be asked."""
    return asked(question, backend)[0]


def asked(question: SmokeQuestion, backend: Backend) -> tuple[str, str]:
    """What is wrong, and where it was raised; and why the claim cannot be asked. Both are empty where it holds."""
    try:
        with (
            contextlib.chdir(os.getcwd()),
            np.errstate(),
        ):  # an engine may change to another folder; what is tried next starts here
            question.try_it(backend)
    except NotThisCase as reason:
        return "", text_of(reason)
    except Unsupported as reason:
        if not question.is_basic and (op := op_to_name(backend, text_of(reason))):
            return "", f"{FIRST}{op}"
        return _contradicted(reason, backend), ""
    except BaseException as error:
        if is_ctrl_c(error):
            raise
        return _contradicted(error, backend), ""
    return "", ""


def _contradicted(error: BaseException, backend: Backend) -> str:
    place = "" if isinstance(error, Violation) else place_of(error, backend)
    return f"{error_text(error)}{numbers_of(error)}{f'  at {place}' if place else ''}"
