"""Behaviours: what an engine does with calls that no clause or special point asks about as such.

A porter meets them in the first hour: operands of two dtypes, a Python number as an exponent, integers, a second
backward pass. Each row states a call, and reports what came of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from conformance.atlas.calls import array_in_brief, call_of, names_for
from conformance.backend import Backend, Capability, TapeBackend
from conformance.case import Array
from conformance.checks.observation import plain
from conformance.errors import Unsupported, hold_no_stop
from conformance.ops.names import (
    ADD,
    ANGLE,
    EXP,
    FLOOR_DIVIDE,
    MATMUL,
    MULTIPLY,
    POW,
    REMAINDER,
    RESHAPE,
    SUM,
)

REFUSED = "refused"
PAIR = (np.array([2.0, 3.0]), np.array([5.0, 7.0]))
COUNTS = np.array([1, 2, 3])
INTEGERS = "int32"


@dataclass(frozen=True)
class Behaviour:
    """A question about one call.

    Attributes:
        place: its row.
        clause: the clause that it belongs to.
        operands: their values.
        call: how the engine's users write it.
        ask: what the engine does.
    """

    place: str
    clause: str
    operands: Sequence[Array]
    call: Callable[[Backend], str]
    ask: Callable[[Backend], str]


def behaviours() -> Iterator[Behaviour]:
    """All questions, by topic."""
    yield from _second_backward()
    yield from _mixed_dtypes()
    yield from _scalar_exponents()
    yield from _divisions()
    yield from _integers()
    yield from _aliases()
    yield from _jumps()


def _named(op: str, count: int, **parameters: Any) -> Callable[[Backend], str]:
    return lambda backend: call_of(backend, op, names_for(count), parameters)


def _ones(backend: Backend, outputs: Sequence[Any]) -> list[Any]:
    return [backend.array(np.ones_like(plain(backend, z))) for z in outputs]


# ---- the graph ------------------------------------------------------------------------------------


def _second_backward() -> Iterator[Behaviour]:
    for op, operands in ((MULTIPLY, PAIR), (ADD, PAIR), (EXP, PAIR[:1])):
        ask = partial(_again, op=op, operands=operands)
        yield Behaviour(f"{op}/second-backward", "B6", operands, _named(op, len(operands)), ask)


def _again(backend: Backend, op: str, operands: Sequence[Array]) -> str:
    """The gradients of a second backward pass through a graph of which nobody said that it is used again."""
    traced = backend.trace(backend.call(op, {}), [x.astype(backend.dtypes[0]) for x in operands])
    first = [plain(backend, g) for g in traced.pull(_ones(backend, traced.outputs))]
    try:
        second = [plain(backend, g) for g in traced.pull(_ones(backend, traced.outputs))]
    except BaseException as error:
        hold_no_stop(error)
        return REFUSED
    for word, factor in (("the same again", 1), ("added to the first", 2)):
        if all(np.array_equal(b, factor * a) for a, b in zip(first, second, strict=True)):
            return word
    return f"other numbers: {', '.join(map(array_in_brief, second))}"


def _aliases() -> Iterator[Behaviour]:
    shape = {"shape": (2,)}
    rows: tuple[tuple[str, Sequence[Array], dict[str, Any]], ...] = (
        (ADD, PAIR, {}),
        (RESHAPE, PAIR[:1], shape),
    )
    for op, operands, parameters in rows:
        ask = partial(_shares, op=op, operands=operands, parameters=parameters)
        yield Behaviour(
            f"{op}/shares-cotangent", "A11", operands, _named(op, len(operands), **parameters), ask
        )


def _shares(backend: Backend, op: str, operands: Sequence[Array], parameters: dict[str, Any]) -> str:
    """Whether a gradient is in the memory of the cotangent that the caller gave."""
    if Capability.WRITABLE not in backend.capabilities:
        return "cannot be written"
    traced = backend.trace(backend.call(op, parameters), [x.astype(backend.dtypes[0]) for x in operands])
    cotangents = _ones(backend, traced.outputs)
    shared = [
        np.shares_memory(backend.memory(g), backend.memory(given))
        for g in traced.pull(cotangents)
        for given in cotangents
        if g is not None
    ]
    return "shared" if any(shared) else "own memory"


# ---- dtypes ---------------------------------------------------------------------------------------


def _mixed_dtypes() -> Iterator[Behaviour]:
    x, y = PAIR
    rows = (
        (MULTIPLY, "float32-and-float64", (x.astype("float32"), y)),
        (MATMUL, "float32-and-float64", (x.astype("float32"), y)),
        (MULTIPLY, "float32-and-0-d-float64", (x.astype("float32"), y[0])),
        (MULTIPLY, f"{INTEGERS}-and-float32", (x.astype(INTEGERS), y.astype("float32"))),
    )
    for op, name, operands in rows:
        ask = partial(_dtypes, op=op, operands=operands)
        yield Behaviour(f"{op}/{name}", "A7", operands, _named(op, 2), ask)


def _dtypes(backend: Backend, op: str, operands: Sequence[Array]) -> str:
    """The dtypes of the output and of the gradients."""
    if any(x.dtype.kind == "f" and x.dtype.name not in backend.dtypes for x in operands):
        return "has not both"
    wrt = [i for i, x in enumerate(operands) if x.dtype.kind == "f"]
    traced = backend.trace(backend.call(op, {}), [np.array(x) for x in operands], wrt)
    made = plain(backend, traced.outputs[0]).dtype
    gradients = traced.pull(_ones(backend, traced.outputs))
    names = ", ".join(plain(backend, g).dtype.name for g in gradients)
    return f"{made.name}; gradients {names}"


def _integers() -> Iterator[Behaviour]:
    def squares(backend: Backend) -> Callable[[Any], Any]:
        multiply = backend.op(MULTIPLY)
        return lambda n: multiply(n, n)

    def total(backend: Backend) -> Callable[[Any], Any]:
        added, square = backend.call(SUM, {"axis": None, "keepdims": False}), squares(backend)
        return lambda n: added(square(n))

    def leaf(backend: Backend) -> Any:
        if not isinstance(backend, TapeBackend):
            raise Unsupported("it has no leaves")
        return backend.leaf(np.array(COUNTS))

    entries: dict[str, Callable[[Backend], Any]] = {
        "leaf": leaf,
        "gradient": lambda b: b.gradient(total(b), [np.array(COUNTS)]),
        "pullback": lambda b: b.vjp(squares(b), [np.array(COUNTS)], [np.array(COUNTS)])[1],
        "forward-mode": lambda b: b.jvp(squares(b), [np.array(COUNTS)], [np.array(COUNTS)])[1],
    }
    for name, entry in entries.items():
        place, ask = f"{MULTIPLY}/integer-{name}", partial(_of_integers, entry=entry)
        yield Behaviour(place, "A16", (COUNTS,), lambda b: call_of(b, MULTIPLY, ["x", "x"], {}), ask)


def _of_integers(backend: Backend, entry: Callable[[Backend], Any]) -> str:
    """What an entry point gives for integers."""
    given = entry(backend)
    first = given[0] if isinstance(given, (tuple, list)) else given
    if first is None:
        return "None"
    try:
        value = plain(backend, first)
    except BaseException as error:
        hold_no_stop(error)
        return type(first).__name__
    if value.dtype.kind == "V":
        return f"without numbers ({', '.join(value.dtype.names or ())})"
    return f"{value.dtype.name} {array_in_brief(value)}" if given is not first else "accepted"


# ---- operators of Python ---------------------------------------------------------------------------


def _scalar_exponents() -> Iterator[Behaviour]:
    for x, exponents in ((0.0, (0, 1, 2, 0.5, -1)), (-2.0, (2, 2.0, 3, 0.5))):
        for exponent in exponents:
            text = f"x ** {exponent}"
            ask = partial(_of_operator, function=lambda a, e=exponent: a**e, operands=(np.array(x),))
            place = f"{POW}/scalar-{exponent}-at-{x:g}".replace("--", "-minus-")
            yield Behaviour(place, "E12", (np.array(x),), lambda _, t=text: t, ask)  # type: ignore[misc]


def _divisions() -> Iterator[Behaviour]:
    operators: tuple[tuple[str, str, Callable[..., Any]], ...] = (
        (FLOOR_DIVIDE, "//", lambda a, b: a // b),
        (REMAINDER, "%", lambda a, b: a % b),
    )
    for op, sign, function in operators:
        for place, x, y in (("of-7-by-2", 7.0, 2.0), ("of-minus-7-by-2", -7.0, 2.0), ("of-6-by-2", 6.0, 2.0)):
            operands = (np.array(x), np.array(y))
            ask = partial(_of_operator, function=function, operands=operands)
            yield Behaviour(f"{op}/{place}", "E19", operands, lambda _, s=sign: f"x {s} y", ask)  # type: ignore[misc]


def _of_operator(backend: Backend, function: Callable[..., Any], operands: Sequence[Array]) -> str:
    """The value of a Python operator on the engine's arrays, and the gradients."""
    given = [x.astype(backend.dtypes[0]) for x in operands]
    outputs, gradients = backend.vjp(function, given, [np.ones((), backend.dtypes[0])])
    shown = ["None" if g is None else array_in_brief(plain(backend, g)) for g in gradients]
    return f"{array_in_brief(plain(backend, outputs[0]))}, gradient {', '.join(shown)}"


# ---- jumps ------------------------------------------------------------------------------------------


def _jumps() -> Iterator[Behaviour]:
    """Values of a flat op where it jumps, and the standards name none."""
    operands = (np.array(-0.0),)
    ask = partial(_value_of, op=ANGLE, operands=operands)
    yield Behaviour(f"{ANGLE}/at-minus-0", "E19", operands, _named(ANGLE, 1), ask)


def _value_of(backend: Backend, op: str, operands: Sequence[Array]) -> str:
    given = [x.astype(backend.dtypes[0]) for x in operands]
    return array_in_brief(plain(backend, backend.forward(backend.call(op, {}), given)[0]))
