"""The reference engine with few ops: an atlas of it is small."""

from typing import ClassVar

from conformance_backends.numpy_backend import NumpyTape


class TwoKinks(NumpyTape):
    """Enough to measure conventions, and two ops that have a kink."""

    ops: ClassVar = {
        name: NumpyTape.ops[name] for name in ("abs", "relu", "add", "multiply", "negative", "sum")
    }
