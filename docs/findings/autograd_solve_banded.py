"""autograd: the gradient of solve_banded with respect to the bands has another shape for several right-hand sides.

A NaN in the cotangent is refused, which other solvers pass on; that of float16 operands is float32.
"""

import importlib.metadata

import autograd.numpy as np
import autograd.scipy.linalg
from autograd import make_vjp

print("autograd", importlib.metadata.version("autograd"))
bands = np.array([[0.0, 1.0, 1.0], [4.0, 4.0, 4.0], [1.0, 1.0, 0.0]])
for columns in (1, 2, 3):
    b = np.ones((3, columns))
    pullback, z = make_vjp(lambda bands, b=b: autograd.scipy.linalg.solve_banded((1, 1), bands, b))(bands)
    gradient = pullback(np.ones(z.shape))
    print(columns, "columns: the gradient of bands of shape", bands.shape, "has shape", gradient.shape)
pullback, z = make_vjp(lambda b: autograd.scipy.linalg.solve_banded((1, 1), bands, b))(np.ones((3, 1)))
try:
    print("a NaN in the cotangent:", pullback(np.full((3, 1), np.nan)).tolist())
except ValueError as error:
    print("a NaN in the cotangent: ValueError:", error)
pullback, z = make_vjp(lambda b: autograd.scipy.linalg.solve_banded((1, 1), bands.astype("float16"), b))(
    np.ones((3, 1), dtype="float16")
)
print("of a float16 operand the gradient is", pullback(np.ones((3, 1), dtype="float16")).dtype)
