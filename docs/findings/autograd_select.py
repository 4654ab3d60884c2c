"""autograd: np.select of float32 arrays is float64, because of the default's type; of arrays without entries it raises."""

import importlib.metadata

import autograd.numpy as np
from autograd import make_vjp

print("autograd", importlib.metadata.version("autograd"))
x, condition = np.ones(3, dtype="float32"), np.array([True, False, False])
_, value = make_vjp(lambda x: np.select([condition], [x], 0.0))(x)
print(
    "select of float32 arrays:",
    value.dtype,
    "where a gradient is taken, else",
    np.select([condition], [x], 0.0).dtype,
)
for shape in ((2, 3), (2, 0, 3)):
    holds = np.ones(shape, dtype=bool)
    try:
        _, value = make_vjp(lambda x, holds=holds: np.select([holds], [x], 0.0))(np.ones(shape))
        print("select of arrays of shape", shape, "has shape", value.shape)
    except ValueError as error:
        print("select of arrays of shape", shape, "ValueError:", error)
empty = np.ones((0, 3), dtype="float32")
print("select of float32 arrays of shape (0, 3):", np.select([empty > 0], [empty], 0.0).dtype)
