"""jax: the gradient of logsumexp by a weight of 0 is 0, where it is exp(x - z), as by any other weight."""

import jax
import jax.numpy as jnp

print("jax", jax.__version__)


def weighted(weights):
    """The weighted sum of two exponentials of 0, as a logarithm."""
    return jax.scipy.special.logsumexp(jnp.zeros(2), b=weights)


for weight in (0.0, 1e-6):
    weights = jnp.array([1.0, weight])
    print(f"by a weight of {weight:g}: got {jax.grad(weighted)(weights)[1]}, exactly {1 / (1 + weight):g}")
    tangent = jax.jvp(weighted, (weights,), (jnp.array([0.0, 1.0]),))[1]
    print(f"    in forward mode: {tangent}")
print("the slope of its values:", (weighted(jnp.array([1.0, 1e-3])) - weighted(jnp.array([1.0, 0.0]))) / 1e-3)
