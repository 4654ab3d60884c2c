"""Spectra of the frames of a signal, each weighted by a window: a complex array is two real ones, as in `spectra`."""

from __future__ import annotations

from typing import Any

import numpy as np

from conformance.op import Choose, Op, Shape, Signature
from conformance.ops.dispatch import dispatched
from conformance.ops.gathered.blocks import window_places
from conformance.ops.indexing import getitem, scatter_add
from conformance.ops.rows import general
from conformance.ops.signals.spectra import Pair, waves
from conformance.ops.traits import QUADRATIC, SEVERAL_OUTPUTS, Homogeneous


def frame_places(x: Any, window: Any, hop: int) -> Any:
    """Where the entries of each frame stand along the last axis; no frame goes beyond the end."""
    return window_places(np.shape(x)[-1], np.shape(window)[0], hop)


def half_waves(window: Any) -> Pair:
    """The cosines and sines of the first half of the frequencies, a column for each, in the precision of the window."""
    size = np.shape(window)[0]
    cosines, sines = waves(size, size // 2 + 1, size)
    return cosines.astype(window.dtype), sines.astype(window.dtype)


@dispatched
def stft(x: Any, window: Any, *, hop: int) -> Pair:
    """Σⱼ x[hop t + j] wⱼ exp(−2πi jk/n) of each k up to n/2, a row for each, and of each frame t."""
    frames = x[..., frame_places(x, window, hop)] * window
    cosines, sines = half_waves(window)
    return np.swapaxes(np.matmul(frames, cosines), -1, -2), np.swapaxes(-np.matmul(frames, sines), -1, -2)


def of_frames(g: Pair, window: Any) -> Any:
    """The cotangents of the weighted frames: the conjugate transpose of the waves."""
    cosines, sines = half_waves(window)
    re, im = (np.swapaxes(part, -1, -2) for part in g)
    return np.matmul(re, cosines.T) - np.matmul(im, sines.T)


def stft_signal(g: Pair, z: Pair, x: Any, window: Any, hop: int) -> Any:
    """The frames' cotangents, weighted again, and added where frames overlap."""
    places = frame_places(x, window, hop)
    return scatter_add(of_frames(g, window) * window, index=(Ellipsis, places), shape=np.shape(x))


def stft_window(g: Pair, z: Pair, x: Any, window: Any, hop: int) -> Any:
    """The frames' cotangents times what the window weighs, added over the frames."""
    frames = getitem(x, index=(Ellipsis, frame_places(x, window, hop)))
    products = of_frames(g, window) * frames
    return np.sum(products, axis=tuple(range(np.ndim(products) - 1)))


# Signals and windows: as long as the signal, odd, even, of one entry, and where the last frame leaves a rest.
FRAMED: tuple[tuple[Shape, int], ...] = (
    *(((6,), 4), ((2, 5), 3), ((3, 3), 3), ((4,), 1), ((2, 9), 4), ((1, 7), 6), ((3, 8), 8), ((33,), 8)),
    *(((2, 65), 16), ((17,), 17), ((130,), 5)),
)  # fmt: skip


def framing(choose: Choose) -> Signature:
    """One signal or several, a window, and the step between frames: less than the window, as long, or longer."""
    shape, size = choose(FRAMED)
    return Signature((shape, (size,)), {"hop": choose((2, 1, 3, size))})


ROWS: tuple[Op, ...] = (
    general("stft", stft, stft_signal, stft_window,
        formula="x̄ⱼ = Σ wᵢ fᵢₜ over the frames t that j is entry i of, w̄ᵢ = Σₜ fᵢₜ xₕₜ₊ᵢ, fᵢₜ = Σₖ g cos − h sin",
        source="bilinear; the transposes of picking frames and of the transform", law=framing,
        traits={SEVERAL_OUTPUTS, QUADRATIC, Homogeneous(1), Homogeneous(1, of=(1,)), Homogeneous(2, of=(0, 1))}),
)  # fmt: skip
