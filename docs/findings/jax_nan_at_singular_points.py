"""jax: NaN where the gradient has a limit, or a finite subdifferential."""

import jax
import jax.numpy as jnp

jax.config.update("jax_enable_x64", True)
print("jax", jax.__version__)
zero = jnp.float64(0.0)
# x**0.0 is 1 for every x
print("power(x, 0.0) at 0:", jax.grad(jnp.power)(zero, zero), "exact 0")
# xlogy(0, y) is 0 for every y
print("xlogy(0, y) at 0:", jax.grad(jax.scipy.special.xlogy, argnums=1)(zero, zero), "exact 0")
# so is xlog1py(0, y)
print("xlog1py(0, y) at -1:", jax.grad(jax.scipy.special.xlog1py, argnums=1)(zero, zero - 1), "exact 0")
# gammainc(1, x) is 1 - exp(-x)
print("gammainc(1, x) at 0:", jax.grad(lambda x: jax.scipy.special.gammainc(1.0, x))(zero), "exact 1")
print("gammaincc(1, x) at 0:", jax.grad(lambda x: jax.scipy.special.gammaincc(1.0, x))(zero), "exact -1")
# a norm has no slope larger than 1
norm = jnp.linalg.vector_norm
print("norm at [0, 0]:", jax.grad(norm)(jnp.zeros(2)), "exact any [a, b] with a^2 + b^2 <= 1")
print("norm of order 3 at [0, 0]:", jax.grad(lambda x: norm(x, ord=3))(jnp.zeros(2)))
# so it is for a deviation, which is the norm of what is left without the mean, over sqrt(n)
print("std of [2, 2]:", jax.grad(jnp.std)(jnp.array([2.0, 2.0])), "exact any [a, -a] with |a| <= 1/2")
# the deviation of a single number is 0, whatever the number
print("std of [3]:", jax.grad(jnp.std)(jnp.array([3.0])), "exact [0]")
