"""Mutants whose scopes can be entered once only, and do not say so."""

from __future__ import annotations

from typing import Any

from conformance_backends.mutants.mutant import AdapterScopedNoGrad, Mutant, behaviour
from conformance_backends.numpy_engine.graph import is_recording, set_recording


class OneBefore:
    """A scope that remembers one mode, in which it was entered last."""

    before = True

    def __enter__(self) -> None:
        self.before, self.scope = is_recording(), set_recording(False)
        self.scope.__enter__()

    def __exit__(self, *_: object) -> None:
        self.scope = set_recording(self.before)
        self.scope.__enter__()


class NotAgain(OneBefore):
    """A scope in which recording goes on when it is entered a second time."""

    count = 0

    def __enter__(self) -> None:
        self.count += 1
        self.scope = set_recording(self.count > 1)
        self.scope.__enter__()

    def __exit__(self, *_: object) -> None:
        self.scope.__exit__()


def resumed_by_a_gradient(self: Any, function: Any, arrays: Any, cotangents: Any) -> Any:
    """A functional gradient resumes recording, which it ends only where it returns."""
    before, self.is_stopped = self.is_stopped, False
    gradients = AdapterScopedNoGrad.nested_vjp(self, function, arrays, cotangents)
    self.is_stopped = before
    return gradients


MUTANTS: tuple[Mutant, ...] = (
    behaviour("resumed-by-a-gradient", "A function that raises in a functional gradient ends the no_grad scope around that.",
        ("contract/C1/no-grad-outlasts-failures",), base=AdapterScopedNoGrad, nested_vjp=resumed_by_a_gradient),
    behaviour("scope-remembers-one-mode", "A scope that is entered inside of itself leaves recording off.",
        ("contract/C1/no-grad-again",), no_grad=lambda self: OneBefore()),
    behaviour("scope-of-one-use", "A scope that is entered a second time records.",
        ("contract/C1/no-grad-again",), no_grad=lambda self: NotAgain()),
)  # fmt: skip
