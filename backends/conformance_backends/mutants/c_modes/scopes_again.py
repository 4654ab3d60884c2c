"""Mutants whose scopes can be entered once only, and do not say so."""

from __future__ import annotations

from conformance_backends.mutants.mutant import Mutant, behaviour
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


MUTANTS: tuple[Mutant, ...] = (
    behaviour("scope-remembers-one-mode", "A scope that is entered inside of itself leaves recording off.",
        ("contract/C1/no-grad-again",), no_grad=lambda self: OneBefore()),
    behaviour("scope-of-one-use", "A scope that is entered a second time records.",
        ("contract/C1/no-grad-again",), no_grad=lambda self: NotAgain()),
)  # fmt: skip
