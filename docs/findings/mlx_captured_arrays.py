"""MLX: what mx.checkpoint and mx.compile capture gets no gradient, without an error."""

import mlx.core as mx

mx.set_default_device(mx.cpu)


def gradient(transform):
    """Of w² x by w, which the inner function captures."""
    x = mx.array(5.0)
    return mx.grad(lambda w: transform(lambda x: w * w * x)(x))(mx.array(3.0)).item()


for name, transform in (("plain", lambda f: f), ("mx.checkpoint", mx.checkpoint), ("mx.compile", mx.compile)):
    print(f"{name}: got {gradient(transform)}, expected 30")
