"""JAX: rel_entr is the difference of x log x and x log y: it overflows where one of them does, and of infinity it is NaN."""

import jax
import numpy as np
import scipy.special

jax.config.update("jax_enable_x64", True)

for x, y in ((3.26901e305, 3.84049e187), (np.inf, 1.0)):
    print(f"rel_entr({x}, {y}):", float(jax.scipy.special.rel_entr(x, y)), end=" ")
    print("SciPy:", scipy.special.rel_entr(x, y))
