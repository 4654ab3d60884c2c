"""jax.custom_gradient hands on what a rule returns in another dtype; jax.custom_vjp refuses it."""

import jax
import jax.numpy as jnp

jax.config.update("jax_enable_x64", True)


@jax.custom_gradient
def square(x):
    """x², with a gradient of another dtype."""
    return x * x, lambda g: (2 * x * g).astype(jnp.float64)


x = jnp.array([1.0, 2.0], jnp.float32)
print("gradient of a float32 operand:", jax.grad(lambda x: jnp.sum(square(x)))(x).dtype)  # float64
try:
    print(jax.grad(lambda x: jnp.sum(square(jnp.sin(x))))(x))
except TypeError as error:
    print("and of sin before it:", str(error).splitlines()[0])
