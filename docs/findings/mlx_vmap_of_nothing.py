"""MLX: in vmap the gradient of what is broadcast to arrays without entries is memory that nobody wrote, where it is 0."""

import mlx.core as mx

mx.set_default_device(mx.cpu)
print("mlx", mx.__version__)
NOTHING, BOUNDS = mx.zeros((2, 0, 3)), mx.array([0.0, 1.0])


def used_memory():
    """Have MLX write into memory that it hands out again."""
    mx.eval([mx.full((2,), 7.0 + n) for n in range(64)])


for name, function in (
    ("minimum, mapped", mx.vmap(mx.minimum)),
    ("clip, mapped", mx.vmap(lambda x, bound: mx.clip(x, None, bound))),
    ("minimum of the whole", lambda x, bounds: mx.minimum(x, bounds[:, None, None])),
):
    for _ in range(3):
        used_memory()
        (gradient,) = mx.vjp(lambda b, f=function: f(NOTHING, b), [BOUNDS], [NOTHING])[1]
        print(name, "gradient", gradient.tolist(), "expected [0.0, 0.0]")
