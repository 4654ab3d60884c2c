"""Which of a vector and its opposite an op returns whose sign is free: scripts quote it, since no engine fixes the sign."""

from __future__ import annotations

import math
from typing import Any

import numpy as np


def sign_weights(n: int) -> Any:
    """The weights of a vector's n entries, whose sum is positive by the catalogue's convention for eigh and svd."""
    return 1 + (math.e - 2) * np.arange(n)
