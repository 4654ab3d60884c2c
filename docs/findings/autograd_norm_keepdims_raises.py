"""autograd before 1.9: the gradient of a norm that keeps its axes raises, though the call itself works."""

import autograd
import autograd.numpy as np

x = np.array([[3.0, 4.0]])


def norm(x):
    """Of each row, as a column."""
    return np.sum(np.linalg.norm(x, axis=1, keepdims=True))


print("autograd", autograd.__version__ if hasattr(autograd, "__version__") else "")
print("value", norm(x))
try:
    print("gradient", autograd.grad(norm)(x), "expected [[0.6 0.8]]")
except TypeError as error:
    print("TypeError:", error)
