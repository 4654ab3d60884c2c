"""autograd: these ops of a real and a complex operand are computed, and their pullbacks raise where both have a gradient."""

import importlib.metadata
import warnings

import autograd.numpy as np
from autograd import make_vjp
from autograd.scipy.linalg import solve_banded, solve_triangular
from autograd.scipy.signal import convolve

print("autograd", importlib.metadata.version("autograd"))
warnings.simplefilter("ignore")  # dot discards imaginary parts on purpose
matrix, bands = np.array([[2.0, 1.0], [0.0, 3.0]]), np.array([[0.0, 1.0], [2.0, 3.0], [1.0, 0.0]])
a, b, right = np.array([1.0, 2.0, 3.0]), np.array([1.0 + 1.0j, 2.0, 3.0]), np.array([1.0 + 1.0j, 2.0])
is_first = np.array([True, False, False])
for name, function, operands in (
    ("multiply", np.multiply, (a, b)),
    ("dot", np.dot, (a, b)),
    ("inner", np.inner, (np.ones((2, 3)), b)),
    ("concatenate", lambda x, y: np.concatenate((x, y)), (a, b)),
    ("convolve", convolve, (a, b)),
    ("cross", np.cross, (a, b)),
    ("linspace", lambda x, y: np.linspace(x, y, 4), (a, b)),
    ("select", lambda x, y: np.select([is_first, is_first], [y, y], x), (np.ones(()), b)),
    ("where", lambda x, y: np.where(is_first, x, y), (a, b)),
    ("linalg.solve", np.linalg.solve, (matrix, right)),
    ("linalg.solve_triangular", solve_triangular, (matrix, right)),
    ("linalg.solve_banded", lambda x, y: solve_banded((1, 1), x, y), (bands, right)),
):
    pullback, value = make_vjp(lambda given, f=function: f(*given))(operands)
    try:
        print(f"{name}: both gradients:", [x.dtype.name for x in pullback(np.ones_like(value))])
    except TypeError as error:
        print(f"{name}: both gradients: {type(error).__name__}: {error}")
