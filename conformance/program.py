"""A program: a small graph of ops, as a straight line of steps.

The values are numbered: the leaves first, then one per step (Wengert's list, 1964). The last value is
the output.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from conformance.case import Array, decode, encode, listed, pack, unpack
from conformance.case import damaged as damaged_token

PREFIX = "p1:"


@dataclass(frozen=True)
class Step:
    """One call: the numbers of the values that go in, and the parameters."""

    op: str
    inputs: tuple[int, ...]
    parameters: Mapping[str, Any]


@dataclass(frozen=True, eq=False)
class Program:
    """Leaves, steps, and a cotangent for the last value."""

    leaves: tuple[Array, ...]
    steps: tuple[Step, ...]
    cotangent: Array
    dtype: str

    def run(self, call: Callable[[str, Mapping[str, Any]], Callable[..., Any]], leaves: Any) -> list[Any]:
        """Every value of the program, where `call(op, parameters)` gives the function of a step."""
        values = list(leaves)
        for step in self.steps:
            values.append(call(step.op, step.parameters)(*(values[i] for i in step.inputs)))
        return values

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
