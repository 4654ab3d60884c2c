"""jax: what falls below the normal numbers on the way is taken for zero, and digits are lost with it that IEEE 754 keeps.

The matrix is tridiagonal, of 8s with 1s beside them, times a power of two; so its inverse is that of the integers, scaled.
"""

import jax
import jax.numpy as jnp
import numpy as np

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

x, y = np.float32(4.28128e37), np.float32(7.29049e37)
_, pullback = jax.vjp(lambda y: jax.scipy.special.xlog1py(x, y), y)
print(
    "xlog1py(4.28e37, 7.29e37): gradient",
    float(pullback(np.float32(-0.5))[0]),
    "exact",
    -0.5 * float(x) / float(y),
)
