"""autograd: the gradient of np.gradient raises where the axis has two or three entries."""

import autograd.numpy as np
from autograd import grad

for n in (2, 3, 4):
    weights = np.arange(1.0, n + 1)
    exact = weights @ np.gradient(np.eye(n), axis=0)
    try:
        got = grad(lambda x, w=weights: np.sum(np.gradient(x) * w))(np.arange(n) ** 2.0)
    except (IndexError, ValueError) as error:
        got = f"{type(error).__name__}: {error}"
    print(f"{n} entries: got {got}, exact {exact}")
