"""MyGrad: the gradient of a product in float16 is infinite where the product is: it is the product over the operand."""

import mygrad as mg
import numpy as np

print("mygrad", mg.__version__)
x = [-11.125, 9.375, -11.75, -12.75, -2.75, -3.25]
for dtype in ("float64", "float16"):
    leaf = mg.tensor(np.array(x, dtype), constant=False)
    mg.prod(leaf).backward(np.array(0.25, dtype))
    print(dtype, leaf.grad.tolist(), "float16 ends at", np.finfo("float16").max)
