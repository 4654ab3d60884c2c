"""MLX: gradients of arrays without entries are refused, though their values are given."""

import mlx.core as mx

mx.set_default_device(mx.cpu)

for name, function, shape in (
    ("diagonal", mx.diagonal, (0, 3)),
    ("trace", mx.trace, (0, 3)),
    ("prod over two axes", lambda x: mx.prod(x, axis=(0, 2)), (2, 0, 1)),
):
    x = mx.zeros(shape)
    y = function(x)
    try:
        print(f"{name}: value of shape {y.shape}, gradient of shape {mx.vjp(function, [x], [y])[1][0].shape}")
    except ValueError as error:
        print(f"{name}: value of shape {y.shape}, gradient refused: {error}")
