"""A history: calls of an engine, one after the other, in which later calls depend on earlier ones.

Values and pullbacks are numbered as they are made. A call that an engine does not offer can be left out,
together with the calls that depend on it: the other numbers stay the same.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from conformance.capability import Capability
from conformance.case import Array, decode, encode, listed, pack, unpack
from conformance.case import damaged as damaged_token

PREFIX = "h2:"


class Verb(enum.Enum):
    """What a call does; the value is its text, with a place for each number `v` and array."""

    LEAF = "{made} = leaf {array}"
    CONSTANT = "{made} = constant {array}"
    APPLY = "{made} = {op}({of}{parameters})"
    APPLY_RAISING = "{made} = {of} + {of}, by a custom rule that raises"
    DETACH = "{made} = detach {of}"
    WRITE = "{first}[{index}] = {others}"
    ENTER_NO_GRAD = "enter a no_grad scope"
    EXIT_NO_GRAD = "exit that scope"
    BACKWARD = "backward from {of}{array}"
    BACKWARD_RETAINING = "backward from {of}{array}, retaining the graph"
    BACKWARD_MISSHAPEN = "backward from {of}{array}, of the wrong shape"
    CLEAR = "clear the gradient of {of}"
    PULLBACK = "{made} = the pullback at {of} of {steps}"
    PULL_WITHIN = "{made} = the pullback at {others} of {steps}, whose function calls {first} with {array}"
    PULLBACK_RAISING = "the pullback at {of} of {steps}, whose function raises"
    PULL = "call pullback {of} with {array}"
    PULL_MISSHAPEN = "call pullback {of} with {array}, of the wrong shape"


NEEDS = {
    Verb.APPLY_RAISING: Capability.CUSTOM_RULE,
    Verb.DETACH: Capability.DETACH,
    Verb.WRITE: Capability.RECORDED_WRITES,
    Verb.ENTER_NO_GRAD: Capability.NO_GRAD,
    Verb.EXIT_NO_GRAD: Capability.NO_GRAD,
    Verb.CLEAR: Capability.CLEARING,
    Verb.BACKWARD_RETAINING: Capability.RETAINING,
}


@dataclass(frozen=True, eq=False)
class Call:
    """One call.

    Attributes:
        verb: what it does.
        of: the numbers of its operands.
        made: the number of its result; None where it has none.
        array: the values of a leaf or constant, or the cotangent; None where none is given.
        op: the op that is applied.
        parameters: the op's; of a write its `index`; of a pullback its function, as `steps` of (op, inputs).
        is_in_other_thread: whether it runs in a thread of its own.
    """

    verb: Verb
    of: tuple[int, ...] = ()
    made: int | None = None
    array: Array | None = None
    op: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    is_in_other_thread: bool = False

    @property
    def needs(self) -> Capability | None:
        """The capability that it needs; None where it needs gradients alone."""
        return NEEDS.get(self.verb)

    @property
    def ops(self) -> tuple[str, ...]:
        """The names of the ops that it applies."""
        steps = tuple(op for op, _ in self.parameters.get("steps", ()))
        return (self.op, *steps) if self.op else steps

    @property
    def label(self) -> str:
        """The call as text."""
        has_cotangent = self.verb in (Verb.BACKWARD, Verb.BACKWARD_RETAINING, Verb.BACKWARD_MISSHAPEN)
        array = "" if self.array is None else repr(self.array.tolist())
        names = [f"v{number}" for number in self.of]
        text = self.verb.value.format(
            made=f"v{self.made}",
            of=", ".join(names),
            array=f" with {array}" if has_cotangent and array else array,
            op=self.op,
            parameters="".join(f", {k}={v!r}" for k, v in self.parameters.items()),
            first=names[0] if names else "",
            others=", ".join(names[1:]),
            index=", ".join(map(repr, self.parameters.get("index", ()))),
            steps="; ".join(f"{op}{inputs}" for op, inputs in self.parameters.get("steps", ())),
        )
        return f"{text}, in a thread of its own" if self.is_in_other_thread else text


@dataclass(frozen=True, eq=False)
class History:
    """Calls in their order, all of whose arrays have one dtype.

    `kind` is the check that it is for: "tape", "threads" or "pullbacks".
    """

    kind: str
    calls: tuple[Call, ...]
    dtype: str

    @property
    def label(self) -> str:
        """The calls as text, one after the other."""
        return "; ".join(call.label for call in self.calls)

    @property
    def token(self) -> str:
        """The history as one printable word."""
        calls = [
            [
                call.verb.name,
                list(call.of),
                call.made,
                None if call.array is None else encode(call.array),
                call.op,
                {name: encode(value) for name, value in call.parameters.items()},
                call.is_in_other_thread,
            ]
            for call in self.calls
        ]
        return PREFIX + pack({"kind": self.kind, "calls": calls, "dtype": self.dtype})

    @staticmethod
    def from_token(token: str) -> History:
        """The history that a token says; UsageError if it is damaged."""
        record = unpack(token, PREFIX)
        try:
            return History(
                record["kind"],
                tuple(
                    Call(
                        Verb[verb],
                        tuple(of),
                        made,
                        None if array is None else decode(array),
                        op,
                        {name: decode(value) for name, value in parameters.items()},
                        is_in_other_thread,
                    )
                    for verb, of, made, array, op, parameters, is_in_other_thread in record["calls"]
                ),
                record["dtype"],
            )
        except (KeyError, TypeError, ValueError, AttributeError):
            raise damaged_token(token) from None

    def as_json(self) -> dict[str, Any]:
        """The history for a report."""
        return {
            "history": [call.label for call in self.calls],
            "operands": [listed(c.array) for c in self.calls if c.made is not None and c.array is not None],
            "dtype": self.dtype,
        }
