"""Where a backward pass starts: the cotangent of its output, dL/dL = 1 of a scalar, else given by the caller."""

from __future__ import annotations

from typing import Any

from conformance.dtype import is_inexact, is_real


def seed(output: Any, gradient: Any) -> Any:
    """The cotangent of a tensor to start from, a tensor: `gradient`, checked, or 1 for a scalar output.

    Raises:
        ValueError: if the output is not a scalar and no gradient is given, or if the gradient's shape is not the output's.
        TypeError: if the output is complex and no gradient is given, or if their kinds of numbers differ.
    """
    if gradient is None:
        if output.ndim != 0:
            raise ValueError(
                f"backward() on an output of shape {output.shape} needs a gradient argument: "
                "only a scalar output has the default seed 1"
            )
        if output.dtype.kind == "c":
            raise TypeError("a complex output has no default seed: pass a gradient")
        return type(output)(output.dtype.type(1))
    given = gradient if isinstance(gradient, type(output)) else type(output)(gradient)
    if given.shape != output.shape:
        raise ValueError(f"the gradient has shape {given.shape}, the output {output.shape}")
    if not (is_inexact if output.dtype.kind == "c" else is_real)(given.dtype):
        raise TypeError(f"the gradient of a {output.dtype} output must be floating point, not {given.dtype}")
    return given if given.dtype == output.dtype else given.astype(output.dtype)
