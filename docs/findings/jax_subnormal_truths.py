"""jax: a number below the normal ones is zero to comparisons, truth values, signs and counts, on the CPU too."""

import jax
import jax.numpy as jnp
import numpy as np

jax.config.update("jax_enable_x64", True)
print("jax", jax.__version__)
for dtype in (np.float64, np.float32):
    x = np.array([np.finfo(dtype).smallest_subnormal, -np.finfo(dtype).smallest_subnormal])
    print(f"{dtype.__name__} {x}: kept in memory as {np.asarray(jnp.asarray(x))}")
    for name in ("count_nonzero", "any", "all", "logical_not", "sign"):
        print(f"  {name}: jax", getattr(jnp, name)(jnp.asarray(x)), "NumPy", getattr(np, name)(x))
    print("  not_equal(x, 0): jax", jnp.not_equal(jnp.asarray(x), 0), "NumPy", np.not_equal(x, 0))
