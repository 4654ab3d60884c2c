"""jax: of eigenvalues beyond 2⁵³, to which adding 1 changes nothing, the gradient of eigh is NaN."""

import jax
import jax.numpy as jnp

jax.config.update("jax_enable_x64", True)
weights = jnp.array([[2.25, -2.0], [1.75, 1.75]])


def weighed(x):
    """The sum of the eigenvalues, and of the eigenvectors' entries with weights, whose share is small for large ones."""
    values, vectors = jnp.linalg.eigh(x)
    return values.sum() + (vectors * weights).sum()


print("jax", jax.__version__)
for scale in (1.0, 1e8, 1e12, 1e16):
    x = jnp.array([[7.0, -1.5], [-1.5, 14.0]]) * scale
    print(
        f"entries of {scale:g}: the gradient of the eigenvalues' sum, the identity, is {jax.grad(weighed)(x).tolist()}"
    )
