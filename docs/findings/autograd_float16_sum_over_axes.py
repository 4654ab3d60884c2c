"""autograd: what was stretched along several axes gets a gradient in float16 that is summed up axis by axis in float16."""

import importlib.metadata

from autograd import make_vjp
from autograd import numpy as np

print("autograd", importlib.metadata.version("autograd"))
for shape in ((4096,), (2, 3, 256, 8)):
    bias = np.zeros((3, 1, 1) if len(shape) > 1 else (), np.float16)
    pullback, _ = make_vjp(lambda b, s=shape: np.zeros(s, np.float16) + b)(bias)
    print(
        "4096 times 2.75, of",
        shape,
        "got",
        pullback(np.full(shape, 2.75, np.float16)).ravel(),
        "exactly",
        4096 * 2.75,
    )
