"""Mutants that print something, or warn."""

from __future__ import annotations

import sys
import warnings
import weakref
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


def unlock(*, is_locked_here: bool) -> None:
    """What a graph does with an operand when it ends."""
    if not is_locked_here:
        raise KeyError("no lock of this operand is on record")


def unlocking(self: Any, value: Any) -> Any:
    """A leaf whose operand is unlocked when it ends, also where somebody else had locked it."""
    leaf = SteppedTape.leaf(self, value)
    weakref.finalize(leaf, unlock, is_locked_here=value.flags.writeable)
    return leaf


MUTANTS: tuple[Mutant, ...] = (
    behaviour("prints", "A backward pass prints a line.", ("contract/F5/silent",), backward=printing),
    behaviour("writes-to-stderr", "A backward pass writes to the error stream.", ("contract/F5/silent",), backward=writing_to_stderr),
    behaviour("unlocks-in-vain", "When a leaf ends, the lock of its operand is looked up, which raises where somebody else had locked it.",
        ("contract/F5/freed-silently",), leaf=unlocking),
    behaviour("warns", "A backward pass warns.", ("contract/F5/silent",), backward=warning),
)  # fmt: skip
