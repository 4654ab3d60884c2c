"""jax: the second derivatives of hypot(x, y) are wrong where |x| = |y|: it is made of the larger and the smaller of both."""

import jax
import jax.numpy as jnp

jax.config.update("jax_enable_x64", True)
print("jax", jax.__version__)
for x in (1.5, 1.5000001):
    y = 1.5
    z = (x * x + y * y) ** 0.5
    got = jax.hessian(lambda p: jnp.hypot(p[0], p[1]))(jnp.array([x, y]))
    exact = [[y * y / z**3, -x * y / z**3], [-x * y / z**3, x * x / z**3]]
    print(f"Hessian at ({x}, {y}): got {got.tolist()}, exactly {exact}")
