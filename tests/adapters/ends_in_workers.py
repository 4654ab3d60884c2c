"""An adapter that can be described, and ends every worker of a run while it is constructed there."""

import os

from conformance_backends.numpy_backend import NumpyTape


class EndsInWorkers(NumpyTape):
    def __init__(self):
        if "PYTEST_XDIST_WORKER" in os.environ:
            os.write(2, b"no licence for a second process\n")
            os._exit(9)
