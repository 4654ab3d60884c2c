"""Threads: what engines' libraries read, once, when they start."""

from __future__ import annotations

import os

SETTINGS = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "BLIS_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
    "NUMEXPR_NUM_THREADS",
)


def one_each() -> None:
    """Limit the libraries of processes started from here to one thread each, where the user sets nothing.

    Workers are as many as cores, and a case is a few dozen numbers: pools of threads only wait for
    each other.
    """
    for name in SETTINGS:
        os.environ.setdefault(name, "1")
