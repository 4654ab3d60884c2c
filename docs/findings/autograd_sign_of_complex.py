"""autograd: in forward mode the sign of a complex number, z / |z|, is a constant, and so is that of a number that turns."""

import importlib.metadata

import autograd.numpy as np
from autograd import make_jvp

print("autograd", importlib.metadata.version("autograd"))
z, t, h = np.array([1.0 + 2.0j]), np.array([0.5 - 1.0j]), 1e-6
print("the tangent of sign(z):", make_jvp(np.sign)(z)(t)[1])
print("the tangent of z / abs(z):", make_jvp(lambda x: x / np.abs(x))(z)(t)[1])
print("by differences:", (np.sign(z + h * t) - np.sign(z - h * t)) / (2 * h))
