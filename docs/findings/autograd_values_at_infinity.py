"""autograd: SciPy's i0 and i1 are NaN at an infinity; a complex number written as x + 1j y loses the sign of a zero, and infinities."""

import autograd.numpy as np
import autograd.scipy.special as special

print("i0(-inf):", special.i0(-np.inf), "expected inf")
print("i1(-inf):", special.i1(-np.inf), "expected -inf")
x, y = -1.0, -0.0
print("angle of -1 - 0i:", np.angle(x + 1j * y), "expected", np.arctan2(y, x))
print("angle of -inf - inf i:", np.angle(-np.inf + 1j * -np.inf), "expected", np.arctan2(-np.inf, -np.inf))
