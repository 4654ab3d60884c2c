"""MLX: a convolution of float64 arrays with groups, or with gaps between entries, raises, and only when it is computed."""

import mlx.core as mx

mx.set_default_device(mx.cpu)


def ones(*shape: int) -> mx.array:
    """An array of float64."""
    return mx.ones(shape, dtype=mx.float64)


for name, call in (
    ("conv2d", lambda: mx.conv2d(ones(1, 3, 3, 2), ones(2, 2, 2, 2))),
    ("conv2d of two groups", lambda: mx.conv2d(ones(1, 3, 3, 2), ones(2, 2, 2, 1), groups=2)),
    ("conv1d with a dilation", lambda: mx.conv1d(ones(1, 5, 1), ones(1, 2, 1), 1, 0, 2)),
    ("conv_transpose1d with a stride", lambda: mx.conv_transpose1d(ones(1, 5, 1), ones(1, 2, 1), 2)),
):
    z = call()
    try:
        mx.eval(z)
        print(f"{name}: {z.flatten()[0]}")
    except ValueError as error:
        print(f"{name}: {error}")
