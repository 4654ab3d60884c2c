"""jax: beyond the last place interp is the last value; at infinity its gradient by the last two values is NaN."""

import jax
import jax.numpy as jnp

print("jax", jax.__version__)
places, values = jnp.array([0.0, 1.0, 3.0]), jnp.array([1.0, 2.0, 5.0])
for x, exact in ((4.0, [0, 0, 1]), (jnp.inf, [0, 0, 1]), (-jnp.inf, [1, 0, 0])):
    got = jax.grad(lambda f, x=x: jnp.interp(x, places, f))(values)
    print(f"at {x}: {jnp.interp(x, places, values):g}, gradient {got.tolist()}, exactly {exact}")
