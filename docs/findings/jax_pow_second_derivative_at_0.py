"""jax: the second derivative of x^y by x at x = 0, y = 1 is NaN, where it is 0."""

import jax
import jax.numpy as jnp

jax.config.update("jax_enable_x64", True)
power = lambda x: jnp.power(x, 1.0)  # noqa: E731
operand = lambda x: jnp.power(x, jnp.asarray(1.0))  # noqa: E731
print("jax", jax.__version__, "slope", jax.grad(operand)(0.0))
print("second derivative, exponent an array:", jax.grad(jax.grad(operand))(0.0), "expected 0.0")
print(
    "forward over reverse, exponent an array:", jax.jvp(jax.grad(operand), (0.0,), (1.0,))[1], "expected 0.0"
)
print("second derivative, exponent a number:", jax.grad(jax.grad(power))(0.0))
