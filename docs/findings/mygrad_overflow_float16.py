"""MyGrad: a gradient of x ** y, or of 2 ** x, in float16 is infinite where the true one fits: cotangent times power overflows first."""

import mygrad as mg
import numpy as np

print("mygrad", mg.__version__)
for dtype in ("float64", "float16"):
    exponent = mg.tensor(np.array(13.375, dtype))
    mg.power(mg.tensor(np.array(2.25, dtype), constant=True), exponent).backward(np.array(1.5, dtype))
    print(dtype, "power:", exponent.grad, "float16 ends at", np.finfo("float16").max)
    exponent = mg.tensor(np.array(15.125, dtype))
    mg.exp2(exponent).backward(np.array(2.25, dtype))
    print(dtype, "exp2:", exponent.grad)
x = mg.tensor(np.array(300, np.float16))
mg.arcsinh(x).backward()
print("float16 arcsinh(300): got", x.grad, "exact", 1 / 300)
x = mg.tensor(np.array(300, np.float16))
mg.arccosh(x).backward()
print("float16 arccosh(300): got", x.grad, "exact", 1 / 300)
