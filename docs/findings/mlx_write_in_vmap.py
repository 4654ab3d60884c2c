"""MLX: inside a mapped function a write by an index changes the first example alone, in the value and in the gradient."""

from importlib.metadata import version

import mlx.core as mx

print("mlx", version("mlx"))


def without_first(x):
    """-x with a zero written."""
    y = -x
    y[..., 0] = 0
    return y


x = mx.ones((2, 3))
print("row by row   ", [without_first(row).tolist() for row in x])
print("mapped       ", mx.vmap(without_first)(x).tolist())
print(
    "its gradient ",
    mx.vjp(mx.vmap(without_first), [x], [mx.ones((2, 3))])[1][0].tolist(),
    "expected 0 in the first column",
)
