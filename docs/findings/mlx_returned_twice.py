"""MLX: the gradient of a function that returns one array twice has the first cotangent alone; the second is lost."""

import mlx.core as mx

mx.set_default_device(mx.cpu)


def twice(x):
    """Minus x, as both outputs."""
    y = -x
    return y, y


x, g, h = (mx.array([value]) for value in (1.0, 2.0, 5.0))
print("got", mx.vjp(twice, [x], [g, h])[1][0].item(), "expected -7.0")
