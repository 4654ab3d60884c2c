"""JAX on the CPU: below a branch cut, where the imaginary part is -0, sqrt, acos, asin, acosh and asinh have the value above it; log has not."""

import jax
import jax.numpy as jnp
import numpy as np
from jax.scipy.special import logit

jax.config.update("jax_enable_x64", True)
print("jax", jax.__version__)
for name, parts in {"sqrt": (-4.0, -0.0), "arccos": (2.0, -0.0), "arcsin": (2.0, -0.0), "arccosh": (-2.0, -0.0),
                    "arcsinh": (-0.0, 2.0), "log": (-2.0, -0.0)}.items():  # fmt: skip
    z = np.array([complex(*parts)])
    print(f"{name:8} JAX", getattr(jnp, name)(z)[0], "NumPy", getattr(np, name)(z)[0])
z = np.array([complex(-2.0, -0.0)])
print("logit    JAX", logit(z)[0], "from below the cut", (np.log(z) - np.log1p(-z))[0])
