"""A history: calls of an engine, one after the other, with what has to be remembered in between.

The values, and the pullbacks, are numbered as they are made. A move that an engine does not offer can be
left out, with all that rests on it: the other numbers stay what they are.
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
    """What a move does; the value tells it, where `v` are the numbers and `g` an array."""

    LEAF = "{made} = leaf {array}"
    CONSTANT = "{made} = constant {array}"
    APPLY = "{made} = {op}({of}{parameters})"
    APPLY_RAISING = "{made} = {of} + {of}, by a rule that raises on the way back"
    DETACH = "{made} = detach {of}"
    WRITE = "{first}[{index}] = {others}"
    ENTER_NO_GRAD = "open a scope without recording"
    EXIT_NO_GRAD = "close that scope"
    BACKWARD = "backward from {of}{array}"
    BACKWARD_RETAINING = "backward from {of}{array}, to be walked again"
    BACKWARD_MISSHAPEN = "backward from {of}{array}, which has another shape"
    CLEAR = "clear the gradient of {of}"
    PULLBACK = "{made} = the pullback at {of} of {steps}"
    PULL_WITHIN = "{made} = the pullback at {others} of {steps}, in which {array} is pulled through {first}"
    PULLBACK_RAISING = "a pullback at {of} of {steps}, which raises"
    PULL = "pull {array} back through {of}"
    PULL_MISSHAPEN = "pull {array}, which has another shape, back through {of}"


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
class Move:
    """One call.

    Attributes:
        verb: what is done.
        of: the numbers of what it is done to.
        made: the number of what it makes, if anything.
        array: the numbers of a leaf or constant, or the cotangent; None where none is given.
        op: the op that is applied.
        parameters: the op's; of a write its `index`; of a pullback its function, as `steps` of (op, inputs).
        is_in_other_thread: whether it is done in a thread of its own.
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
        """What an engine must offer for it, beyond gradients."""
        return NEEDS.get(self.verb)

    @property
    def ops(self) -> tuple[str, ...]:
        """The ops it calls."""
        steps = tuple(op for op, _ in self.parameters.get("steps", ()))
        return (self.op, *steps) if self.op else steps

    @property
    def label(self) -> str:
        """The move as text."""
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
    """Moves in their order, all of whose arrays are of one dtype.

    `kind` is the check that it is for: "tape", "threads" or "pullbacks".
    """

    kind: str
    moves: tuple[Move, ...]
    dtype: str

    @property
    def label(self) -> str:
        """The moves as text, one after the other."""
        return "; ".join(move.label for move in self.moves)

    @property
    def token(self) -> str:
        """The history as one printable word."""
        moves = [
            [
                move.verb.name,
                list(move.of),
                move.made,
                None if move.array is None else encode(move.array),
                move.op,
                {name: encode(value) for name, value in move.parameters.items()},
                move.is_in_other_thread,
            ]
            for move in self.moves
        ]
        return PREFIX + pack({"kind": self.kind, "moves": moves, "dtype": self.dtype})

    @staticmethod
    def from_token(token: str) -> History:
        """The history that a token says; UsageError if it is damaged."""
        record = unpack(token, PREFIX)
        try:
            return History(
                record["kind"],
                tuple(
                    Move(
                        Verb[verb],
                        tuple(of),
                        made,
                        None if array is None else decode(array),
                        op,
                        {name: decode(value) for name, value in parameters.items()},
                        is_in_other_thread,
                    )
                    for verb, of, made, array, op, parameters, is_in_other_thread in record["moves"]
                ),
                record["dtype"],
            )
        except (KeyError, TypeError, ValueError, AttributeError):
            raise damaged_token(token) from None

    def as_json(self) -> dict[str, Any]:
        """The history for a report."""
        return {
            "history": [move.label for move in self.moves],
            "operands": [listed(m.array) for m in self.moves if m.made is not None and m.array is not None],
            "dtype": self.dtype,
        }
