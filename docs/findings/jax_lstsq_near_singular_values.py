"""jax: jnp.linalg.lstsq loses digits in its gradients where two singular values are near, and has none where they are equal."""

import jax
import jax.numpy as jnp

jax.config.update("jax_enable_x64", True)
b = jnp.array([1.0, 2.0])
for gap in (1.0, 1e-2, 1e-4, 1e-6, 1e-8, 0.0):
    a = jnp.array([[2.0, 0.0], [0.0, 2.0 + gap]])

    def by_lstsq(a):
        return jnp.linalg.lstsq(a, b)[0].sum()

    def by_solve(a):
        return jnp.linalg.solve(a, b).sum()

    first = jnp.abs(jax.grad(by_lstsq)(a) - jax.grad(by_solve)(a)).max()
    second = jnp.abs(jax.hessian(by_lstsq)(a) - jax.hessian(by_solve)(a)).max()
    print(
        f"singular values {gap:g} apart: the gradient is off by {first:.1e}, the second derivatives by {second:.1e}"
    )
