"""MLX: the second derivative of x to the power 1 by x is NaN at 0, since it is 0 times infinity."""

import mlx.core as mx

mx.set_default_device(mx.cpu)
first = mx.grad(lambda x: mx.power(x, mx.array(1.0)))
second = mx.grad(first)
for at in (0.0, 2.0):
    x = mx.array(at)
    print(
        f"x ** 1.0 at {at}: derivative {first(x).item()}, expected 1; the second {second(x).item()}, expected 0"
    )
