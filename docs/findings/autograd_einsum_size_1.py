"""autograd: where a letter is summed that has size 1 in another operand, einsum's gradient keeps that operand's size."""

import importlib.metadata

import autograd.numpy as np
from autograd import make_vjp

print("autograd", importlib.metadata.version("autograd"))
x, y = np.ones((2, 3)), np.ones((1, 2))
pullback, z = make_vjp(lambda a: np.einsum("ij,jk->ik", a, y))(x)
print(f"an operand of shape {x.shape} has a gradient of shape {pullback(np.ones(z.shape)).shape}")
