"""autograd: the tangent of a partition along the last axis of a matrix has another shape; the gradient is not implemented."""

import importlib.metadata

import autograd
import autograd.numpy as np

print("autograd", importlib.metadata.version("autograd"))
x = np.array([[3.0, 1.0, 2.0], [4.0, 6.0, 5.0], [9.0, 8.0, 7.0]])
value, tangent = autograd.make_jvp(lambda x: np.partition(x, 1, -1))(x)(x)
print("the value has shape", value.shape, "its tangent", tangent.shape)
try:
    autograd.grad(lambda x: np.sum(np.partition(x, 1, -1)))(x)
except NotImplementedError as error:
    print(error)
