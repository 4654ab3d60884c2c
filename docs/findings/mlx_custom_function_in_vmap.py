"""MLX: a custom function that is mapped loses its rule, and what it computes is differentiated instead."""

from importlib.metadata import version

import mlx.core as mx

print("mlx", version("mlx"))


@mx.custom_function
def tripled(x):
    """3x."""
    return 3 * x


@tripled.vjp
def tripled_vjp(x, g, z):
    """A rule of its own: 2g."""
    return 2 * g


x = mx.array([1.0, 2.0, 3.0])
for name, function in (("alone", tripled), ("mapped", mx.vmap(tripled))):
    print(
        f"{name}: gradient",
        mx.vjp(function, [x], [mx.ones(3)])[1][0].tolist(),
        "expected [2, 2, 2], by the rule",
    )


@tripled.jvp
def tripled_jvp(x, t):
    """A rule of its own for tangents: 2t."""
    return 2 * t


for name, function in (("alone", tripled), ("mapped", mx.vmap(tripled))):
    print(
        f"{name}: tangent",
        mx.jvp(function, [x], [mx.ones(3)])[1][0].tolist(),
        "expected [2, 2, 2], by the rule",
    )
