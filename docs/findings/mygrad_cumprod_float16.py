"""MyGrad: the gradient of a cumulative product in float16 is infinite: cotangents times products overflow, then are divided."""

import mygrad as mg
import numpy as np

print("mygrad", mg.__version__)
x, g = [13.25, -13.375, -14.125], [-36.0, -20.0, -44.0]
for dtype in ("float64", "float16"):
    leaf = mg.tensor(np.array(x, dtype))
    mg.cumprod(leaf).backward(np.array(g, dtype))
    print(dtype, leaf.grad, "float16 ends at", np.finfo("float16").max)
