"""jax: where one operand of logaddexp is infinite, the gradient of the other is the exponential of that other."""

import math

import jax
import jax.numpy as jnp

jax.config.update("jax_enable_x64", True)
print("jax", jax.__version__)
for name, function in (("logaddexp", jnp.logaddexp), ("logaddexp2", jnp.logaddexp2)):
    slope = jax.grad(function, argnums=1)
    for x in (1e30, math.inf):
        print(f"{name}({x:g}, 2), slope of the second operand: got {slope(x, 2.0)}, limit 0")
