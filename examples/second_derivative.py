"""Second derivatives from first-order rules: the gradient is a function, so it has a gradient.

The reference engine has one table of VJP rules, written in plain NumPy. Run on tensors, a rule is
recorded like any other computation, and can be differentiated again.
"""

import numpy as np
from conformance_backends.numpy_engine import grad, hessian, jvp

x = np.array([0.5, -1.0, 2.0])


def energy(x):
    return np.sum(np.sin(x) * x)


(gradient,) = grad(energy)(x)
print("gradient ", gradient.value)
np.testing.assert_allclose(gradient.value, np.cos(x) * x + np.sin(x), rtol=1e-12)

# One number per pair of entries. Entries do not mix here, so only the diagonal is not zero.
second = hessian(energy, x)
print("hessian\n", second.value)
np.testing.assert_allclose(second.value, np.diag(2 * np.cos(x) - x * np.sin(x)), atol=1e-12)

# The Hessian times a direction, without ever making the Hessian: forward over reverse.
direction = np.array([1.0, 0.0, -1.0])
_, along = jvp(lambda x: grad(energy)(x)[0], (x,), (direction,))
print("along    ", along.value)
np.testing.assert_allclose(along.value, second.value @ direction, atol=1e-12)
