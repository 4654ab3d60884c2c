"""A program: a small graph of ops, as a list of steps.

The values are numbered: the leaves first, then one per step (Wengert's list, 1964). The last value is
the output.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from conformance.case import Array, decode, encode, listed, pack, unpack
from conformance.case import damaged as damaged_token
from conformance.ops.names import ASTYPE, SUM

PREFIX = "p1:"
BRANCH = "branch"  # a step on (decider, operand): `then` where the decider's sum is positive, `otherwise` where not


@dataclass(frozen=True)
class Step:
    """One call: the numbers of the values that go in, and the parameters."""

    op: str
    inputs: tuple[int, ...]
    parameters: Mapping[str, Any]


def _taken(branch: Step, decider: Array) -> Step:
    """The step that a branch amounts to."""
    return Step(branch.parameters["then" if decider.sum() > 0 else "otherwise"], branch.inputs[1:], {})


@dataclass(frozen=True, eq=False)
class Program:
    """Leaves, steps, and a cotangent for the last value."""

    leaves: tuple[Array, ...]
    steps: tuple[Step, ...]
    cotangent: Array
    dtype: str

    def run(
        self,
        call: Callable[[str, Mapping[str, Any]], Callable[..., Any]],
        leaves: Any,
        is_positive: Callable[[Any], Any] = lambda total: total > 0,
    ) -> list[Any]:
        """Every value of the program, where `call(op, parameters)` gives the function of a step; a 0-d array decides a branch."""
        values = list(leaves)
        for step in self.steps:
            inputs = [values[i] for i in step.inputs]
            if step.op == BRANCH:
                total = call(SUM, {"axis": None, "keepdims": False})(inputs[0])
                taken = step.parameters["then" if is_positive(total) else "otherwise"]
                values.append(call(taken, {})(inputs[1]))
            else:
                values.append(call(step.op, step.parameters)(*inputs))
        return values

    @property
    def has_branches(self) -> bool:
        """Whether a value decides which op a step applies."""
        return any(step.op == BRANCH for step in self.steps)

    @property
    def changes_precision(self) -> bool:
        """Whether a part of it is computed in another precision."""
        return any(step.op == ASTYPE and step.parameters["dtype"] != self.dtype for step in self.steps)

    @property
    def variables(self) -> tuple[int, ...]:
        """The leaves that have a gradient: the others are truth values and indices."""
        return tuple(i for i, leaf in enumerate(self.leaves) if leaf.dtype.kind == "f")

    def straightened(self, call: Callable[[str, Mapping[str, Any]], Callable[..., Any]]) -> Program:
        """The program without branches that applies the same ops."""
        if not self.has_branches:
            return self
        values = self.run(call, self.leaves)
        taken = [step if step.op != BRANCH else _taken(step, values[step.inputs[0]]) for step in self.steps]
        return replace(self, steps=tuple(taken))

    @property
    def label(self) -> str:
        """The steps as text, one after the other."""
        count = len(self.leaves)
        return "; ".join(
            f"v{count + n} = {s.op}({', '.join(f'v{i}' for i in s.inputs)}"
            + "".join(f", {k}={v!r}" for k, v in s.parameters.items())
            + ")"
            for n, s in enumerate(self.steps)
        )

    @property
    def token(self) -> str:
        """The program as one printable word."""
        steps = [
            [s.op, list(s.inputs), {name: encode(value) for name, value in s.parameters.items()}]
            for s in self.steps
        ]
        return PREFIX + pack(
            {
                "leaves": [encode(x) for x in self.leaves],
                "steps": steps,
                "cotangent": encode(self.cotangent),
                "dtype": self.dtype,
            }
        )

    @staticmethod
    def from_token(token: str) -> Program:
        """The program that a token says; UsageError if it is damaged."""
        record = unpack(token, PREFIX)
        try:
            return Program(
                tuple(decode(x) for x in record["leaves"]),
                tuple(
                    Step(op, tuple(i), {k: decode(v) for k, v in p.items()}) for op, i, p in record["steps"]
                ),
                decode(record["cotangent"]),
                record["dtype"],
            )
        except (KeyError, TypeError, ValueError, AttributeError):
            raise damaged_token(token) from None

    def as_json(self) -> dict[str, Any]:
        """The program for a report."""
        return {
            "program": self.label.split("; "),
            "operands": [listed(x) for x in self.leaves],
            "cotangent": [listed(self.cotangent)],
            "dtype": self.dtype,
        }
