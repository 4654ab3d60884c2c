"""jax on the CPU: the value that comes along with a gradient differs in bits from the plain value (another fusion)."""
import jax
import jax.numpy as jnp
import numpy as np

rng = np.random.default_rng(0)
print("jax", jax.__version__)
for name, function in (("divide", jnp.divide), ("xlogy", jax.scipy.special.xlogy), ("prod", lambda x, y: jnp.prod(x * y))):
    for mode, wrap in (("eager", lambda f: f), ("jit", jax.jit)):
        differing = 0
        for _ in range(50):
            x, y = (jnp.asarray(rng.uniform(0.1, 3, (3, 3)), dtype=jnp.float32) for _ in range(2))
            plain = wrap(function)(x, y)
            along, _ = wrap(lambda a, b, f=function: jax.vjp(f, a, b))(x, y)
            differing += not np.array_equal(plain, along)
        print(f"{name:8} {mode:6} {differing} of 50 values differ")
