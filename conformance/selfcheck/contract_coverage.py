"""What the clauses about whole engines are asked with, recorded from their checks as they run."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from conformance.backend import Backend
from conformance.checks import Check, load_all
from conformance.checks.registry import NotThisCase
from conformance.checks.sample import Sample
from conformance.clauses import STANDARD
from conformance.errors import Unsupported, Violation
from conformance.load import load_backend
from conformance.ops import family_of, find
from conformance.selfcheck.selftest import SLOW

CHAPTERS = "ABCD"
SAMPLES = 3  # those of the quick profile, which have the whole catalogue between them
# Methods of the protocol by what they are called on the page.
SCOPES = {
    "no_grad": "no_grad",
    "detach": "detach",
    "custom": "custom rule",
    "custom_by_operand": "custom rule of each operand",
    "custom_forward": "custom rule of forward mode",
    "checkpoint": "checkpoint",
    "nested_vjp": "second order",
    "hook": "hook",
    "assign": "write",
    "anomaly": "anomaly",
    "structured_gradient": "structure",
    "jacobian": "whole Jacobian",
}


@dataclass
class Asked:
    """What the checks of one clause called.

    Attributes:
        ops: the engine's ops, by name.
        scopes: what else of the engine, in the words of SCOPES.
        calls: the most op calls of one sample.
        is_of_every_op: whether a check of the clause is run on the cases of every op as well.
    """

    ops: set[str] = field(default_factory=set)
    scopes: set[str] = field(default_factory=set)
    calls: int = 0
    is_of_every_op: bool = False

    @property
    def families(self) -> list[str]:
        """The families of the ops."""
        return sorted({family_of(find(name)) for name in self.ops})


class _NotingOps(dict[str, Callable[..., Any]]):
    """The engine's ops, each of which notes its name when it is called."""

    def __init__(self, ops: Any) -> None:
        super().__init__(ops)
        self.called: list[str] = []

    def __getitem__(self, name: str) -> Callable[..., Any]:
        function = super().__getitem__(name)

        def noted(*operands: Any, **parameters: Any) -> Any:
            self.called.append(name)
            return function(*operands, **parameters)

        return noted


def asked_with(backend: str = "numpy") -> dict[str, Asked]:
    """For each clause of chapters A to D, what its checks are run with on a backend."""
    asked = {number: Asked() for number in STANDARD if number[0] in CHAPTERS}
    for key, check in sorted(load_all().items()):
        if check.clause not in asked or key in SLOW:
            continue
        if check.kind == "op":
            asked[check.clause].is_of_every_op = True
        elif check.kind == "contract":
            _record(check, backend, asked[check.clause])
    return asked


def _record(check: Check, name: str, asked: Asked) -> None:
    engine = load_backend(name)
    ops = _NotingOps(engine.ops)
    engine.ops = ops  # type: ignore[misc]  # this backend's alone, not the class's
    with contextlib.suppress(Unsupported):
        check.require(engine)
        for seed in range(SAMPLES):
            ops.called.clear()
            with _noting(engine, asked.scopes), np.errstate(all="ignore"), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                with contextlib.suppress(Unsupported, NotThisCase, Violation):
                    check.function(engine, Sample(seed, engine.dtypes[0], check.key))
            asked.ops.update(ops.called)
            asked.calls = max(asked.calls, len(ops.called))


@contextlib.contextmanager
def _noting(engine: Backend, scopes: set[str]) -> Iterator[None]:
    """A scope in which the engine's methods note that they are called."""
    for method, word in SCOPES.items():
        setattr(engine, method, _noted(getattr(type(engine), method).__get__(engine), scopes, word))
    try:
        yield
    finally:
        for method in SCOPES:
            delattr(engine, method)


def _noted(function: Callable[..., Any], scopes: set[str], word: str) -> Callable[..., Any]:
    def call(*arguments: Any, **keywords: Any) -> Any:
        scopes.add(word)
        return function(*arguments, **keywords)

    return call


def narrow(asked: dict[str, Asked], few: Iterable[str]) -> list[str]:
    """The clauses whose checks meet no other op than these few, and are not run on every op."""
    meets = set(few)
    return [number for number, found in asked.items() if not found.is_of_every_op and found.ops <= meets]
