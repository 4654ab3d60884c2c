"""jax: what falls below the normal numbers on the way is taken for zero, and digits are lost with it that IEEE 754 keeps.

The matrix is tridiagonal, of 8s with 1s beside them, times a power of two; so its inverse is that of the integers, scaled.
"""

import jax
import jax.numpy as jnp

jax.config.update("jax_enable_x64", True)
print("jax", jax.__version__)

matrix = jnp.array([[8.0, 1.0, 0.0], [1.0, 8.0, 1.0], [0.0, 1.0, 8.0]])
b = jnp.array([1.0, 2.0, 3.0])
for exponent in (0, -1000, -1021):
    scale = 2.0**exponent  # the least normal number is 2^-1022
    x, pullback = jax.vjp(lambda b, a=matrix * scale: jnp.linalg.solve(a, b), b)
    (gradient,) = pullback(jnp.array([1.0, 0.0, 0.0]))
    print(f"2^{exponent}: solution", (x * scale).tolist(), "gradient", (gradient * scale).tolist())
print("exact: solution", [25 / 248, 48 / 248, 87 / 248], "gradient", [63 / 496, -8 / 496, 1 / 496])
