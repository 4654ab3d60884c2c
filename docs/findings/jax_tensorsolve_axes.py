"""jax: tensorsolve puts the axes of the unknowns in ascending order, whatever the order in which they are given; NumPy keeps theirs."""

import jax
import jax.numpy as jnp
import numpy as np

print("jax", jax.__version__, "numpy", np.__version__)
a, b = np.random.default_rng(0).standard_normal((2, 6, 3)).astype(np.float32), np.arange(6, dtype=np.float32)
for axes in ((0, 2), (2, 0)):
    ours, theirs = np.linalg.tensorsolve(a, b, axes), jnp.linalg.tensorsolve(a, b, axes)
    print("axes", axes, "NumPy:", ours.shape, ours.ravel()[:3], "jax:", theirs.shape, theirs.ravel()[:3])
