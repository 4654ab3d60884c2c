"""An adapter whose tanh has the gradient of another function."""

from typing import ClassVar

import numpy as np
from conformance_backends import numpy_engine as engine
from conformance_backends.numpy_backend import NumpyTape


class WrongTanh(NumpyTape):
    """tanh's slope is 1 - z."""

    ops: ClassVar = {**NumpyTape.ops, "tanh": engine.custom(np.tanh, lambda g, x: [g * (1 - np.tanh(x))])}
