"""MLX: a NaN in the cotangent of an entry that where does not take reaches its gradient."""

import mlx.core as mx

mx.set_default_device(mx.cpu)

mask, cotangent = mx.array([True, False]), mx.array([float("nan"), 1.0])
gradient = mx.vjp(lambda x: mx.where(mask, 0.0, x), [mx.ones(2)], [cotangent])[1][0]
print("got", gradient.tolist(), "expected [0.0, 1.0]")
