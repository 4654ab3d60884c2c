"""JAX: in float32 erfcx is 0 in a range on the right, where it is about 1/(x √π)."""

import jax
import numpy as np
import scipy.special

x = np.array([8.0, 9.0, 9.1, 9.2, 9.4, 9.6, 9.9, 10.1], np.float32)
print("x:", x)
print("JAX:  ", jax.scipy.special.erfcx(x))
print("SciPy:", scipy.special.erfcx(x.astype(float)))
