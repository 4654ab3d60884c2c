"""jax: a Toeplitz matrix is made by a convolution: an entry, or a cotangent, that is NaN makes other diagonals NaN."""

import jax
import jax.numpy as jnp

jax.config.update("jax_enable_x64", True)
print("jax", jax.__version__)
for dtype in (jnp.float64, jnp.float32):
    column, row = jnp.array([1, 2, 3], dtype), jnp.array([4, 5], dtype)
    for transform in (lambda f: f, jax.jit):
        for place in ((0, 0), (1, 0), (2, 0), (0, 1)):
            pull = transform(lambda g, c=column, r=row: jax.vjp(jax.scipy.linalg.toeplitz, c, r)[1](g))
            gc, gr = pull(jnp.ones((3, 2), dtype).at[place].set(jnp.nan))
            print(
                dtype.__name__, transform.__name__, "NaN at", place, "column", gc.tolist(), "row", gr.tolist()
            )
print(
    "a column that ends with NaN:",
    jax.scipy.linalg.toeplitz(jnp.array([1, 2, jnp.nan]), jnp.array([1, 5.0])).tolist(),
)
