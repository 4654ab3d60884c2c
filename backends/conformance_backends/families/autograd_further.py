"""Choices, steps, functions beside the gamma function, and banded systems as users of autograd write them.

The table is read as source too, like that of `autograd_ops`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import autograd.numpy as np
import autograd.scipy.linalg
import autograd.scipy.special

from conformance.errors import Unsupported


def linspace(start: Any, stop: Any, num: Any, endpoint: Any, axis: Any) -> Any:
    """Steps up to the stop along the first axis; autograd's gradient takes no others."""
    if not endpoint or axis not in (0, -1 - max(start.ndim, stop.ndim)):
        raise Unsupported("autograd's gradient of linspace takes no parameters")
    return np.linspace(start, stop, num)


def tridiagonal_solve(lower: Any, diagonal: Any, upper: Any, b: Any) -> Any:
    """SciPy's solve_banded, of one matrix whose diagonals stand where their columns do."""
    if diagonal.ndim > 1:
        raise Unsupported("autograd's solve_banded takes one matrix")
    bands = np.stack([np.roll(upper, 1), diagonal, np.roll(lower, -1)])
    return autograd.scipy.linalg.solve_banded((1, 1), bands, b)


def as_complex(re: Any, im: Any) -> Any:
    """The complex numbers of these parts; NumPy has none of half precision."""
    if re.dtype.itemsize < 4:
        raise Unsupported("NumPy has no complex numbers of half precision")
    return re + 1j * im


def parts(z: Any) -> tuple[Any, Any]:
    """The real and the imaginary part."""
    return np.real(z), np.imag(z)


OPS: Mapping[str, Callable[..., Any]] = {
    "select": lambda first, second, x, y, default: np.select([first, second], [x, y], default),
    "linspace": linspace,
    "angle": np.angle,
    "complex_abs": lambda re, im: np.abs(as_complex(re, im)),
    "complex_angle": lambda re, im: np.angle(as_complex(re, im)),
    # Its own names of the parameters: a backward norm is None.
    "rfftn": lambda x, s, axes, norm: parts(np.fft.rfftn(x, s, axes, None if norm == "backward" else norm)),
    "irfftn": lambda re, im, s, axes, norm: np.fft.irfftn(
        as_complex(re, im), s, axes, None if norm == "backward" else norm
    ),
    "gamma": autograd.scipy.special.gamma,
    "betainc": lambda x, a, b: autograd.scipy.special.betainc(a, b, x),
    "tridiagonal_solve": tridiagonal_solve,
}
