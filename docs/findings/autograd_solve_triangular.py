"""autograd: the gradient of solve_triangular drops unit_diagonal, and solves with a diagonal that the call does not read."""

import autograd.numpy as np
from autograd import grad
from autograd.scipy.linalg import solve_triangular

matrix = np.array([[4.0, 0.0], [3.0, 5.0]])
right = np.array([[1.0], [2.0]])


def total(a, b):
    """The sum of the solution of [[1, 0], [3, 1]] x = b."""
    return np.sum(solve_triangular(a, b, lower=True, unit_diagonal=True))


step = 1e-6
differences = [
    (total(matrix, right + step * e) - total(matrix, right - step * e)) / (2 * step)
    for e in np.eye(2)[:, :, None]
]
print("with respect to b: got", grad(total, 1)(matrix, right).ravel(), "by differences", differences)

complex_matrix = np.asfortranarray(matrix + 0j)
try:
    print(grad(lambda b: np.real(np.sum(solve_triangular(complex_matrix, b, lower=True))))(right + 0j))
except ValueError as error:
    print("of a complex matrix:", error)

half = grad(lambda b: np.sum(solve_triangular(matrix.astype("float16"), b, lower=True)))(
    right.astype("float16")
)
print("of float16 the gradient has", half.dtype)
