"""jax on a GPU: products of float32 matrices are computed with ten bits of each factor, unless a precision is named; documented."""

import jax
import jax.numpy as jnp
import numpy as np

print("jax", jax.__version__)
a, b = np.float32(np.random.default_rng(0).normal(size=(2, 64, 64)))
exact = np.float64(a) @ np.float64(b)
for platform in ("cpu", "gpu"):
    try:
        device = jax.devices(platform)[0]
    except RuntimeError as error:
        print(error)
        continue
    x, y = (jax.device_put(part, device) for part in (a, b))
    for precision in (None, "highest"):
        product = np.float64(jnp.matmul(x, y, precision=precision))
        error = np.abs(product - exact).max() / np.abs(exact).max()
        print(f"{platform}, precision={precision}: the relative error of a product is {error:.2g}")
