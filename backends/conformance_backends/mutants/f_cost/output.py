"""Mutants that print something, or warn."""

from __future__ import annotations

import sys
import warnings
from typing import Any

from conformance_backends.mutants.mutant import Mutant, SteppedTape, behaviour


def printing(self: Any, output: Any, gradient: Any = None, *, retain: bool = False) -> None:
    """A debugging line."""
    print("backward", getattr(output, "shape", None))
    SteppedTape.backward(self, output, gradient)


def writing_to_stderr(self: Any, output: Any, gradient: Any = None, *, retain: bool = False) -> None:
    """Output on the error stream."""
    sys.stderr.write(".")
    SteppedTape.backward(self, output, gradient)


def warning(self: Any, output: Any, gradient: Any = None, *, retain: bool = False) -> None:
    """A warning in every backward pass."""
    warnings.warn("gradients may be slow", UserWarning, stacklevel=2)
    SteppedTape.backward(self, output, gradient)


MUTANTS: tuple[Mutant, ...] = (
    behaviour("prints", "A backward pass prints a line.", ("contract/F5/silent",), backward=printing),
    behaviour("writes-to-stderr", "A backward pass writes to the error stream.", ("contract/F5/silent",), backward=writing_to_stderr),
    behaviour("warns", "A backward pass warns.", ("contract/F5/silent",), backward=warning),
)  # fmt: skip
