"""MLX: the gradient of a strided convolution's gradient, where a part of the operand is in no window: another shape, or wrong."""

import mlx.core as mx

mx.set_default_device(mx.cpu)


def by_the_cotangent(convolution, x, w, **parameters):
    """The derivative of the sum of x's gradient by its cotangent, and what it is: the convolution of ones."""

    def total(g):
        return mx.sum(mx.vjp(lambda a: convolution(a, w, **parameters), [x], [g])[1][0])

    right = convolution(mx.ones_like(x), w, **parameters)
    return mx.grad(total)(mx.ones_like(right)), right


def channels_last(*shape):
    """Ones and more: batch, lengths, channels."""
    return mx.arange(1.0, 1 + mx.ones(shape).size).reshape(shape)


for name, convolution, x, w, parameters in (
    ("conv1d", mx.conv1d, channels_last(1, 5, 1), channels_last(1, 2, 1), {"stride": 2}),
    ("conv2d", mx.conv2d, channels_last(1, 3, 5, 1), channels_last(1, 2, 2, 1), {"stride": 2}),
    ("conv3d", mx.conv3d, channels_last(1, 3, 3, 5, 1), channels_last(1, 2, 2, 2, 1), {"stride": 2}),
    (
        "conv_transpose1d",
        mx.conv_transpose1d,
        channels_last(1, 2, 1),
        channels_last(1, 3, 1),
        {"stride": 2, "output_padding": 1},
    ),
):
    got, right = by_the_cotangent(convolution, x, w, **parameters)
    print(
        f"{name}: shape {got.shape}, right {right.shape}; got {got.flatten().tolist()}, right {right.flatten().tolist()}"
    )


def second(w):
    """The derivative by x of the gradient by w, summed, of a transposed convolution."""
    x = channels_last(1, 2, 1)
    options = {"stride": 2, "output_padding": 1}

    def total(w):
        _, (gradient,) = mx.vjp(lambda a: mx.conv_transpose1d(a, w, **options), [x], [mx.ones((1, 6, 1))])
        return mx.sum(gradient)

    return mx.grad(total)(w)


print("conv_transpose1d, by w:", second(channels_last(1, 3, 1)).flatten().tolist(), "right [2.0, 2.0, 2.0]")
