"""autograd: the gradient of prod is the product divided by the operand: lost where the product underflows or overflows and it does not."""

import warnings
from importlib.metadata import version

import autograd.numpy as np
from autograd import grad, make_vjp

warnings.simplefilter("ignore")
print("autograd", version("autograd"))
for x, exact in (([1e-200, 1e-200, 1e200], [1, 1, 0]), ([1e200, 1e200, 1e-100], [1e100, 1e100, np.inf])):
    print(x, "gradient", grad(np.prod)(np.array(x)).tolist(), "exact", exact)
for dtype in ("float64", "float16"):
    pullback, _ = make_vjp(np.prod)(np.array([228.625, 128.75], dtype))
    print(dtype, "cotangent 2.75 of prod([228.625, 128.75]):", pullback(np.array(2.75, dtype)).tolist())
