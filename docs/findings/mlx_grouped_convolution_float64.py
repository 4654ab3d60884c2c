"""MLX: a convolution of float64 arrays has no groups: it raises when it is computed."""

import mlx.core as mx

mx.set_default_device(mx.cpu)
for groups in (1, 2):
    x = mx.ones((1, 3, 3, 2), dtype=mx.float64)
    weight = mx.ones((2, 2, 2, 2 // groups), dtype=mx.float64)
    try:
        y = mx.conv2d(x, weight, groups=groups)
        mx.eval(y)
        print(f"groups={groups}: {y[0, 0, 0]}")
    except ValueError as error:
        print(f"groups={groups}: {error}")
