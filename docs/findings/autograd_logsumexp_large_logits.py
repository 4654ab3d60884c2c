"""autograd: the gradient of logsumexp is exp(x - z) with z rounded, and loses digits in proportion to z."""

from importlib.metadata import version

import autograd.numpy as np
from autograd import grad
from autograd.scipy.special import logsumexp

print("autograd", version("autograd"))
x = np.array([0.0, -11.0])
for shift in (0.0, 2.0**10, 2.0**20, 2.0**40):
    weights = np.exp(x) / np.exp(x).sum()
    print(f"logits + {shift:g}: gradient", grad(logsumexp)(x + shift).tolist(), "exact", weights.tolist())
