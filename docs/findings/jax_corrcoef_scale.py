"""jax: corrcoef divides covariances, which vanish of small rows in float16: correlations and their gradient are NaN."""

import jax
import jax.numpy as jnp
import numpy as np

print("jax", jax.__version__)
rows = np.array([[1.0, 2.0, 4.0], [3.0, -1.0, 2.0]])
for dtype, scale in ((jnp.float32, 1.0), (jnp.float16, 1.0), (jnp.float16, 2.0**-11)):
    x = jnp.asarray(rows * scale, dtype)
    value, gradient = jax.value_and_grad(lambda x: jnp.corrcoef(x)[0, 1])(x)
    print(
        dtype.__name__,
        "scaled by",
        scale,
        "correlation",
        value,
        "gradient times the scale",
        (gradient * scale).tolist(),
    )
