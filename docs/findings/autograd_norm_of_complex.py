"""autograd: in forward mode the norm of complex numbers, which is real, has a complex tangent, whose real part alone is right."""

import importlib.metadata
import warnings

import autograd.numpy as np
from autograd import make_jvp

print("autograd", importlib.metadata.version("autograd"))
warnings.simplefilter("ignore")
z, t, h = np.array([1.0 + 2.0j, -3.0 + 1.0j]), np.array([0.5 - 1.0j, 2.0 + 0.5j]), 1e-6
for order in (None, 2, 3, 4):
    norm = lambda x, order=order: np.linalg.norm(x, ord=order)  # noqa: E731
    differences = (norm(z + h * t) - norm(z - h * t)) / (2 * h)
    print(f"ord={order}: the tangent of norm(z): {make_jvp(norm)(z)(t)[1]}, by differences: {differences}")
