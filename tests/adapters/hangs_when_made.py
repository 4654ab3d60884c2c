"""An adapter that hangs while it is constructed."""

import time

from conformance_backends.numpy_backend import NumpyTape


class HangsWhenMade(NumpyTape):
    def __init__(self):
        time.sleep(600)
