"""jax: jnp.linalg.lstsq loses digits in its gradients where two singular values are near, and has none where they are equal."""

import jax
import jax.numpy as jnp

jax.config.update("jax_enable_x64", True)
b = jnp.array([1.0, 2.0])


def furthest(derivative, a):
    """The largest distance of a derivative from that by jnp.linalg.solve."""
    by_lstsq = derivative(lambda a: jnp.linalg.lstsq(a, b)[0].sum())(a)
    return jnp.abs(by_lstsq - derivative(lambda a: jnp.linalg.solve(a, b).sum())(a)).max()


for gap in (1.0, 1e-2, 1e-4, 1e-6, 1e-8, 0.0):
    a = jnp.array([[2.0, 0.0], [0.0, 2.0 + gap]])
    first, second = furthest(jax.grad, a), furthest(jax.hessian, a)
    print(
        f"singular values {gap:g} apart: gradients are off by {first:.1e}, second derivatives by {second:.1e}"
    )
