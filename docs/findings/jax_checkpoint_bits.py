"""jax compiled: a checkpointed function's gradient differs in its last bits from the function's own."""

import jax
import jax.numpy as jnp
import numpy as np

jax.config.update("jax_enable_x64", True)


def function(x, w):
    """The function that is checkpointed."""
    return jnp.tanh(x * w) * jnp.exp(x)


def gradient(f):
    """Between other ops, compiled."""

    def value_and_gradient(x, w, g):
        value, pullback = jax.vjp(lambda x: jnp.tanh(-f(-x, w)), x)
        return value, pullback(g)[0]

    return lambda *operands: np.asarray(jax.jit(value_and_gradient)(*operands)[1])


print("jax", jax.__version__)
rng = np.random.default_rng(0)
plain, checkpointed = gradient(function), gradient(jax.checkpoint(function))
differing = []
for _ in range(50):
    operands = [jnp.asarray(rng.integers(1, 13, 3) * rng.choice((-0.25, 0.25), 3)) for _ in range(3)]
    if not np.array_equal(plain(*operands), checkpointed(*operands)):
        differing.append((plain(*operands).tolist(), checkpointed(*operands).tolist()))
print(f"{len(differing)} of 50 gradients differ", *differing[0], sep="\n")
