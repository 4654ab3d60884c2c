"""A fault: what is injected into one question, and what is to come of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from conformance_backends.numpy_backend import NumpyTape

TANH = NumpyTape.ops["tanh"]
HIT = "op/tanh/layout/float64"  # the only question that hands out arrays that are not in C order


@dataclass(frozen=True)
class Fault:
    """One row of the table.

    Attributes:
        name: of the row.
        inject: is called with the operand when the question is asked; what it returns, if anything, is the answer.
        verdict: of that one question; every other question of the group passes.
        says: a part of its message.
    """

    name: str
    inject: Callable[[Any], Any]
    verdict: str = "error"
    says: str = ""

    def __str__(self) -> str:
        return self.name


def engine_with(inject: Callable[[Any], Any]) -> type[NumpyTape]:
    """The reference engine, whose tanh does something else to an array that is not in C order."""

    def op(x: Any) -> Any:
        if not x.value.flags.c_contiguous:
            answer = inject(x)
            if answer is not None:
                return answer
        return TANH(x)

    return type("Faulty", (NumpyTape,), {"ops": {**NumpyTape.ops, "tanh": op}, "__module__": __name__})


def raising(error: BaseException | type[BaseException], *given: Any) -> Callable[[Any], Any]:
    """An injection that raises."""

    def inject(_: Any) -> Any:
        raise error(*given) if isinstance(error, type) else error

    return inject


def doing(action: Callable[[], Any]) -> Callable[[Any], Any]:
    """An injection that does something and answers rightly."""

    def inject(_: Any) -> None:
        action()

    return inject


def class_of(**members: Any) -> type[Exception]:
    """An exception class with members that misbehave."""
    return type("Odd", (Exception,), members)


def forbidden(*_: Any, **__: Any) -> Any:
    """A member that raises when it is used."""
    raise RuntimeError("not to be asked")


def ending(*_: Any, **__: Any) -> Any:
    """A member that ends the process when it is used."""
    raise SystemExit(7)


ZERO = np.zeros(1)
