"""How the parameters of one call lie beside each other and beside its shapes: a size and its step, margins and their mode.

Each alone may take all its values where together they never do what matters: windows that overlap by more than one
entry, a last window that does not reach the end.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from conformance.op import Shape, Signature

Sizes = tuple[int, ...]


def parameters_together(signature: Signature) -> dict[str, str]:
    """The levels of pairs of parameters, by what the pair is called; nothing where an op has no such pair."""
    parameters = signature.parameters
    size, step = _windows(signature)
    found: dict[str, str] = {}
    if size and step:
        room = () if "output_padding" in parameters else _room(signature, size)
        apart = room or step  # of a transposed convolution there are always several
        overlaps = {_overlap(n, s, r) for n, s, r in zip(size, step, apart, strict=False)}
        found["size and step"] = " and ".join(sorted(overlaps))
        if _is_plain(parameters):  # what an engine computes in a shorter way
            found["size and step, nothing besides"] = found["size and step"]
        found["left over"] = _remainder(room, step)
    if "mode" in parameters and "pad_width" in parameters:
        found["mode and margins"] = f"{parameters['mode']}, {_sides(parameters['pad_width'])}"
    if "index" in parameters:
        found["slice"] = _picked_alone(signature.shapes[0], parameters["index"])
    return {name: level for name, level in found.items() if level}


def _picked_alone(shape: Shape, index: Any) -> str:
    """Whether a slice by steps picks a single entry of several, as a slice by ones never does."""
    axes = [i for i in index if i is not None] if isinstance(index, tuple) else []
    if any(i is Ellipsis for i in axes):
        place = next(number for number, i in enumerate(axes) if i is Ellipsis)
        axes[place : place + 1] = [slice(None)] * (len(shape) - len(axes) + 1)
    alone = [
        f"{'forwards' if i.step > 0 else 'backwards'} along {'a further axis' if place else 'the first axis'}"
        for place, (n, i) in enumerate(zip(shape, axes, strict=False))
        if isinstance(i, slice) and abs(i.step or 1) > 1 and len(range(*i.indices(n))) == 1 < n
    ]
    return f"one of several, {alone[0]}" if alone else ""


def _windows(signature: Signature) -> tuple[Sizes, Sizes]:
    """The sizes and the steps of windows: of parameters, or those of a kernel, which is the second operand."""
    parameters = signature.parameters
    step = _sizes(parameters.get("stride", parameters.get("step")))
    size = _sizes(parameters.get("kernel_size", parameters.get("size")))
    is_kernel = not size and step and len(signature.shapes) > 1
    return (signature.shapes[1][-len(step) :] if is_kernel else size), step


def _sizes(value: Any) -> Sizes:
    return (value,) if isinstance(value, int) else tuple(value) if isinstance(value, tuple) else ()


def _room(signature: Signature, size: Sizes) -> Sizes:
    """How far a window can be moved along each axis; nothing where the shapes do not tell."""
    parameters, shape = signature.parameters, signature.shapes[0]
    axis = parameters.get("axis")
    lengths = shape[-len(size) :] if axis is None else (shape[axis],)
    padding = _sizes(parameters.get("padding")) or (0,) * len(size)
    dilation = _sizes(parameters.get("dilation")) or (1,) * len(size)
    if not len(lengths) == len(size) == len(padding) == len(dilation):
        return ()
    return tuple(
        n + 2 * p - d * (k - 1) - 1 for n, k, p, d in zip(lengths, size, padding, dilation, strict=True)
    )


def _overlap(size: int, step: int, room: int) -> str:
    """How a window lies beside the next."""
    if room < step:
        return "alone"
    if step == 1:
        return "by one" if size > 1 else "of one entry"
    if step == size:
        return "side by side"
    return "overlapping" if step < size else "apart" if size > 1 else "of one entry, apart"


def _is_plain(parameters: Mapping[str, Any]) -> bool:
    """Whether windows have no margins, no gaps within and nothing left over."""
    usual = {"padding": 0, "output_padding": 0, "dilation": 1}
    return all({*_sizes(parameters.get(name, value))} == {value} for name, value in usual.items())


def _remainder(room: Sizes, step: Sizes) -> str:
    """Along which axes entries are left over behind the last window."""
    if len(room) != len(step):
        return ""
    axes = [i for i, (n, s) in enumerate(zip(room, step, strict=True)) if n > 0 and n % s]
    if not axes:
        return "none"
    return "each" if len(axes) == len(step) else "the last" if axes == [len(step) - 1] else "not the last"


def _sides(pad_width: Sequence[Sequence[int]]) -> str:
    """On which sides the last axis that has margins has them, and of how many axes it is one."""
    margins = [(before > 0, after > 0) for before, after in pad_width if before or after]
    if not margins:
        return ""
    side = {(True, True): "both", (True, False): "before", (False, True): "behind"}[margins[-1]]
    if margins[-1][1] and [behind for before, behind in pad_width if before or behind][-1] > 1:
        side += ", behind by several"
    of_what = "a vector" if len(pad_width) == 1 else "one axis" if len(margins) == 1 else "several"
    return f"{side} of {of_what}"
