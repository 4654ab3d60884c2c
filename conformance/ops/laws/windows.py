"""Laws of windows: sizes, strides, paddings, dilations and groups, of which any go together that leave a window."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

from conformance.op import Choose, Shape, Signature

Pair = tuple[int, int]
Image = tuple[int, int, int]  # how many, their height, their width


def steps(length: int, size: int, stride: int, padding: int, dilation: int) -> int:
    """How many windows fit along an axis."""
    return (length + 2 * padding - dilation * (size - 1) - 1) // stride + 1


def window_counts(image: Shape, kernel_size: Shape, stride: Shape, padding: Shape, dilation: Shape) -> Shape:
    """How many windows fit along each side."""
    return tuple(steps(*given) for given in zip(image, kernel_size, stride, padding, dilation, strict=True))


def overhangs(
    sides: Shape, kernel_size: Shape, stride: Shape, padding: Shape, dilation: Shape, *, ceil_mode: bool
) -> Shape:
    """How far the last window reaches beyond the margin behind each side.

    With `ceil_mode` windows that do not fit count, too, if they begin before that margin.
    """
    if not ceil_mode:
        return (0,) * len(sides)
    return tuple(
        overhang(*given) for given in zip(sides, kernel_size, stride, padding, dilation, strict=True)
    )


def overhang(length: int, size: int, stride: int, padding: int, dilation: int) -> int:
    """The same along one axis."""
    reach, whole = dilation * (size - 1) + 1, length + 2 * padding
    last = -(-(whole - reach) // stride) * stride
    if last >= length + padding:
        last -= stride
    return max(0, last + reach - whole)


def all_have_entries(
    sides: Shape, kernel_size: Shape, stride: Shape, padding: Shape, dilation: Shape, *, ceil_mode: bool
) -> bool:
    """Whether there are windows, and each has an entry that is none of the margin's, along every axis."""
    along = zip(sides, kernel_size, stride, padding, dilation, strict=True)
    return all(_has_entries(*given, ceil_mode) for given in along)


@cache  # a law asks hundreds of thousands of times, of few axes
def _has_entries(side: int, size: int, step: int, margin: int, gap: int, ceil_mode: bool) -> bool:
    """The same along one axis."""
    rest = overhang(side, size, step, margin, gap) if ceil_mode else 0
    places = range(0, side + 2 * margin + rest - gap * (size - 1), step)
    inside = range(margin, margin + side)
    return bool(places) and all(any(place + gap * i in inside for i in range(size)) for place in places)


IMAGES: tuple[Image, ...] = ((1, 3, 3), (2, 3, 4), (1, 6, 5), (1, 2, 17), (2, 1, 1), (7, 3, 3), (1, 1, 1))
KERNELS: tuple[Pair, ...] = ((2, 2), (1, 1), (3, 3), (2, 3), (1, 5))
STRIDES: tuple[Pair, ...] = ((1, 1), (2, 2), (1, 2), (3, 1))
PADDINGS: tuple[Pair, ...] = ((0, 0), (1, 1), (0, 2))
DILATIONS: tuple[Pair, ...] = ((1, 1), (2, 2), (2, 1))
# Groups, channels of the image, and of the result.
CHANNELS: tuple[tuple[int, int, int], ...] = ((1, 1, 1), (1, 2, 3), (2, 2, 4), (2, 4, 2), (3, 3, 3))
MANY: tuple[tuple[int, int, int], ...] = ((1, 17, 2), (2, 2, 18))
BATCH = 5  # examples from which on there are many channels too


def channels_of(count: int) -> tuple[tuple[int, int, int], ...]:
    """The groups and channels that go with so many examples: few examples with few channels, many with many."""
    return CHANNELS if count < BATCH else MANY


def placed(choose: Choose, images: Sequence[Image] = IMAGES) -> tuple[Image, Pair, dict[str, Pair]]:
    """An image, the size of its windows, and how they are placed: at least one fits."""
    size = choose(KERNELS)
    placing = {"stride": choose(STRIDES), "padding": choose(PADDINGS), "dilation": choose(DILATIONS)}
    fitting = [image for image in images if min(window_counts(image[1:], size, **placing)) > 0]
    return choose(fitting), size, placing


def conv2d(choose: Choose) -> Signature:
    """Images, kernels, a bias for each of them, and the geometry."""
    (count, *sides), size, placing = placed(choose)
    groups, channels, kernels = choose(channels_of(count))
    shapes: tuple[Shape, ...] = ((count, channels, *sides), (kernels, channels // groups, *size), (kernels,))
    return Signature(shapes, {**placing, "groups": groups})


def conv_transpose2d(choose: Choose) -> Signature:
    """Images, kernels (those of the operand's channels first), a bias for each, and the geometry.

    What the strides leave over is shorter than a stride, so that as many windows fit.
    """
    (count, *sides), size = choose(IMAGES), choose(KERNELS)
    high, wide = stride = choose(STRIDES)
    # One dilation goes with strides alone that are more than 1, so that every design has both on both axes.
    dilations = ((1, 1), (2, 1), (2, 2)) if min(stride) > 1 else ((1, 1), (2, 1))
    placing = {"stride": stride, "padding": choose(((0, 0), (1, 0))), "dilation": choose(dilations)}
    rest = choose([rest for rest in ((0, 0), (1, 0), (0, 1)) if rest[0] < high and rest[1] < wide])
    if min(transposed_sides(tuple(sides), size, rest, **placing)) < 1:
        placing, rest = {**placing, "padding": (0, 0)}, (0, 0)
    groups, channels, kernels = choose(channels_of(count))
    shapes: tuple[Shape, ...] = ((count, channels, *sides), (channels, kernels // groups, *size), (kernels,))
    return Signature(shapes, {**placing, "output_padding": rest, "groups": groups})


def transposed_sides(
    image: Shape, size: Shape, rest: Shape, *, stride: Shape, padding: Shape, dilation: Shape
) -> Shape:
    """The sides of images or volumes from which windows placed so give back so many, and so much is left over."""
    given = zip(image, size, stride, padding, rest, dilation, strict=True)
    return tuple((n - 1) * s - 2 * p + d * (k - 1) + r + 1 for n, k, s, p, r, d in given)


def conv1d(choose: Choose) -> Signature:
    """Signals, kernels, a bias for each of them, and the geometry."""
    size = choose((2, 1, 3, 5))
    stride, padding, dilation = choose((1, 2, 3)), choose((0, 1, 2)), choose((1, 2, 3))
    signals = ((1, 3), (2, 4), (1, 7), (2, 33), (1, 129), (7, 4), (2, 1), (1, 1))
    fitting = [signal for signal in signals if steps(signal[1], size, stride, padding, dilation) > 0]
    count, length = choose(fitting)
    groups, channels, kernels = choose(channels_of(count))
    shapes: tuple[Shape, ...] = ((count, channels, length), (kernels, channels // groups, size), (kernels,))
    return Signature(shapes, {"stride": stride, "padding": padding, "dilation": dilation, "groups": groups})


def conv_transpose1d(choose: Choose) -> Signature:
    """Signals, kernels (those of the operand's channels first), a bias for each, and the geometry."""
    size, stride = choose((2, 1, 3, 5)), choose((1, 2, 3))
    dilation = choose((1, 2, 4) if stride > 1 else (1, 2, 3))  # one goes with strides of more than 1 alone
    count, length = choose(((1, 3), (2, 4), (2, 1), (1, 7), (1, 33), (7, 3)))
    rest = choose([n for n in (0, 1, 2) if n < stride])
    whole = (length - 1) * stride + dilation * (size - 1) + rest + 1
    padding = choose([n for n in (0, 1, 2) if whole > 2 * n])
    groups, channels, kernels = choose(channels_of(count))
    shapes: tuple[Shape, ...] = ((count, channels, length), (channels, kernels // groups, size), (kernels,))
    geometry = {"stride": stride, "padding": padding, "dilation": dilation, "output_padding": rest}
    return Signature(shapes, {**geometry, "groups": groups})


def unfolding(choose: Choose) -> Signature:
    """Images and the geometry of their windows."""
    (count, *sides), size, placing = placed(choose)
    return Signature(((count, choose((1, 3)), *sides),), {"kernel_size": size, **placing})


def folding(choose: Choose) -> Signature:
    """Columns of the shape that unfolding gives, and the image's size."""
    image = unfolding(choose)
    count, channels, *sides = image.shapes[0]
    size, *placing = (image.parameters[name] for name in ("kernel_size", "stride", "padding", "dilation"))
    high, wide = window_counts(tuple(sides), size, *placing)
    columns = (count, channels * size[0] * size[1], high * wide)
    return Signature((columns,), {"output_size": tuple(sides), **image.parameters})


POOLED: tuple[Shape, ...] = (
    *((1, 1, 4, 4), (2, 2, 3, 3), (1, 3, 3, 4), (1, 1, 5, 5), (2, 1, 7, 6), (1, 2, 2, 33), (1, 1, 17, 8)),
    *((7, 1, 3, 4), (1, 9, 4, 3), (2, 2, 3, 1), (1, 1, 1, 1)),
)  # fmt: skip


def pooling(choose: Choose, dilations: tuple[Pair, ...]) -> tuple[Shape, dict[str, Any]]:
    """Images, the size of the windows and how they are placed.

    A margin is at most half a window, so that each has an entry of the image: engines refuse more.
    """
    size = choose(((2, 2), (1, 1), (3, 2), (2, 3), (3, 3), (1, 5)))
    fitting = [p for p in ((0, 0), (1, 1), (1, 0), (0, 2)) if 2 * p[0] <= size[0] and 2 * p[1] <= size[1]]
    stride, padding = choose(((2, 2), (1, 1), (1, 2), (3, 1), (4, 4))), choose(fitting)
    dilation, ceil_mode = choose(dilations), choose((False, True))
    images = [
        s for s in POOLED if all_have_entries(s[2:], size, stride, padding, dilation, ceil_mode=ceil_mode)
    ]
    if not images:
        dilation, images = dilations[0], [(1, 1, 7, 9)]
    placing = {"kernel_size": size, "stride": stride, "padding": padding}
    return choose(images), {**placing, "dilation": dilation, "ceil_mode": ceil_mode}


def max_pooling(choose: Choose) -> Signature:
    """Images and their windows, whose entries may be apart, and which may reach beyond the margin."""
    shape, placing = pooling(choose, ((1, 1), (2, 1), (1, 2)))
    return Signature((shape,), placing)


def avg_pooling(choose: Choose) -> Signature:
    """Images and their windows, whether margins count, and what to divide by instead."""
    shape, placing = pooling(choose, ((1, 1),))
    del placing["dilation"]
    counting = {"count_include_pad": choose((True, False)), "divisor_override": choose((None, 3))}
    return Signature((shape,), {**placing, **counting})


SIGNALS: tuple[Shape, ...] = (
    (1, 1, 4),
    (2, 2, 3),
    (1, 3, 5),
    (2, 1, 7),
    (1, 2, 33),
    (1, 1, 129),
    (7, 1, 4),
    (1, 9, 3),
    (2, 3, 1),
    (1, 1, 1),
)


def pooling_signals(choose: Choose, dilations: tuple[int, ...]) -> tuple[Shape, dict[str, Any]]:
    """Signals, the size of the windows and how they are placed; a margin is at most half a window."""
    size, stride = choose((2, 1, 3, 5)), choose((2, 1, 3, 4))
    padding = choose([n for n in (0, 1, 2) if 2 * n <= size])
    dilation, ceil_mode = choose(dilations), choose((False, True))
    given = [(n,) for n in (size, stride, padding, dilation)]
    signals = [s for s in SIGNALS if all_have_entries(s[2:], *given, ceil_mode=ceil_mode)]
    placing = {"kernel_size": size, "stride": stride, "padding": padding}
    return choose(signals), {**placing, "dilation": dilation, "ceil_mode": ceil_mode}


def max_pooling_signals(choose: Choose) -> Signature:
    """Signals and their windows, whose entries may be apart, and which may reach beyond the margin."""
    shape, placing = pooling_signals(choose, (1, 2, 3))
    return Signature((shape,), placing)


def avg_pooling_signals(choose: Choose) -> Signature:
    """Signals and their windows, and whether margins count."""
    shape, placing = pooling_signals(choose, (1,))
    del placing["dilation"]
    return Signature((shape,), {**placing, "count_include_pad": choose((True, False))})


def norm_pooling(choose: Choose) -> Signature:
    """Images, the order of the norm, the size of the windows and their strides; without margins."""
    size, stride = choose(((2, 2), (1, 1), (3, 2), (2, 3))), choose(((2, 2), (1, 1), (1, 2), (3, 1)))
    images = [s for s in POOLED if min(window_counts(s[2:], size, stride, (0, 0), (1, 1))) > 0]
    parameters = {"norm_type": choose((2.0, 1.0, 3.0, 1.7)), "kernel_size": size, "stride": stride}
    return Signature((choose(images),), parameters)


def norm_pooling_signals(choose: Choose) -> Signature:
    """Signals, the order of the norm, the size of the windows and their stride; without margins."""
    size, stride = choose((2, 1, 3, 5)), choose((2, 1, 3, 4))
    signals = [s for s in SIGNALS if steps(s[2], size, stride, 0, 1) > 0]
    parameters = {"norm_type": choose((2.0, 1.0, 3.0, 1.7)), "kernel_size": size, "stride": stride}
    return Signature((choose(signals),), parameters)
