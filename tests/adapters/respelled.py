"""The reference engine with other functions for two of its ops and for its scopes, of which one does nothing."""

import contextlib
from typing import Any

from conformance_backends.numpy_backend import NumpyTape

from conformance.capability import Capability


class Respelled(NumpyTape):
    """A scope without recording that records."""

    mode = "respelled"
    is_spelling = True
    spells = frozenset({"tanh", "relu"})
    respells = frozenset({Capability.NO_GRAD, Capability.ANOMALY})

    def no_grad(self) -> Any:
        """No scope at all."""
        return contextlib.nullcontext()
