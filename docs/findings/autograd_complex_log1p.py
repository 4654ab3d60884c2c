"""autograd: NumPy's log1p of a complex number adds the one, and has no digit left near 0."""

import autograd.numpy as np

x = 1e-12 + 1e-12j
print("log1p(1e-12 + 1e-12i):", np.log1p(x))
print("x - x²/2:             ", x - x**2 / 2)
