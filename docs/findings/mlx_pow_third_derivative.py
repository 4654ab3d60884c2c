"""MLX: the third derivative of a power by its exponent has the first one added to it."""

import math

import mlx.core as mx

mx.set_default_device(mx.cpu)
for base, exponent in ((2.0, 1.0), (3.0, 2.0), (0.125, -1.875)):
    derivative = lambda n, base=base: mx.power(mx.array(base), n)  # noqa: E731
    for order in (1, 2, 3):
        derivative = mx.grad(derivative)
        expected = base**exponent * math.log(base) ** order
        got = derivative(mx.array(exponent)).item()
        print(
            f"{base} ** {exponent}, derivative {order} by the exponent: got {got:.4f}, expected {expected:.4f}"
        )
