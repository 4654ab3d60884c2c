"""MyGrad: the gradient of sinc cancels near 0."""

import warnings

import mygrad as mg
import numpy as np

warnings.simplefilter("ignore")
print("mygrad", mg.__version__)
for dtype in ("float32", "float64"):
    for value in (1e-1, 1e-2, 1e-3, 1e-6, 1e-30):
        x = mg.tensor(np.array(value, dtype))
        mg.sinc(x).backward()
        exact = -(np.pi**2) * value / 3 + np.pi**4 * value**3 / 30 - np.pi**6 * value**5 / 840
        print(f"{dtype} x={value:g}: got {float(x.grad):.9g}, exact {exact:.9g}")
