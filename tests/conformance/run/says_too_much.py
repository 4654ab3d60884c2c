"""An adapter that declares parameter values lacking which its engine has."""

from __future__ import annotations

import os
import signal
from typing import Any, ClassVar

from conformance_backends.numpy_backend import NumpyTape

R = NumpyTape.ops


class SaysTooMuch(NumpyTape):
    """Declares values lacking that the engine computes with, and others that it refuses, or by which it is ended."""

    name = "mine"
    lacks: ClassVar[dict[str, dict[str, tuple[Any, ...]]]] = {
        "sum": {"axis": (tuple,), "keepdims": (True,)},
        "flip": {"axis": (None,)},
        "roll": {"axis": (None,)},
        "mean": {"axis": ((),)},
    }
    ops: ClassVar[dict[str, Any]] = {
        "sum": lambda x, axis, keepdims: R["sum"](x, axis=axis, keepdims=keepdims and not isinstance(axis, int)),
        "flip": lambda x, axis: os.kill(os.getpid(), signal.SIGKILL) if axis is None else R["flip"](x, axis=axis),
        "roll": lambda x, shift, axis: R["roll"](x.value if axis is None else x, shift=shift, axis=axis),
        "mean": R["mean"],
        "add": R["add"],
    }  # fmt: skip
