"""Branches by torch's own function, which traces the functions that it is given.

Not the loops beside it, scan and while_loop: they are prototypes in a module that torch calls private.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from conformance.backend import Function


class TorchFlow:
    """torch.cond."""

    def branch(self, condition: Any, then: Function, otherwise: Function, operands: Sequence[Any]) -> Any:
        """torch.cond, which works outside of torch.compile too: it compiles the branch alone."""
        return torch.cond(condition, then, otherwise, tuple(operands))
