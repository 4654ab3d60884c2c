"""The reference engine, two of its functions spelt otherwise, one of them wrong."""

from typing import Any

from conformance_backends.numpy_backend import NumpyTape

OPS = NumpyTape.ops


class Spelled(NumpyTape):
    """tanh by exponentials, relu by a maximum that forgets the factor."""

    mode = "spelled"
    is_spelling = True

    ops: Any = {  # noqa: RUF012 - an adapter's table
        "tanh": lambda x: OPS["tanh"](x),
        "relu": lambda x: OPS["add"](OPS["relu"](x).detach(), OPS["multiply"](x, 0.0)),
    }
