"""jax: expm rounds the number of halvings down, so that its approximation is used beyond the norm for which it is made."""

import jax
import jax.numpy as jnp

jax.config.update("jax_enable_x64", True)
print("jax", jax.__version__)
a = jnp.array([[-1.15, 2.24, 3.13], [-2.66, 2.62, -2.44], [3.99, -4.0, 4.0]])
print(
    "the approximation is made for norms up to 5.4; exp(a) beside exp(a/2)², relative to its largest entry:"
)
for scale in (0.5, 0.8, 0.9, 1.0, 1.2):
    whole, half = jax.scipy.linalg.expm(scale * a), jax.scipy.linalg.expm(scale * a / 2)
    error = jnp.abs(whole - half @ half).max() / jnp.abs(whole).max()
    print(f"norm {jnp.linalg.norm(scale * a, 1):.3g}: {error:.1e}")
