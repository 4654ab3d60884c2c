"""MyGrad: beside a Python number a tensor of float32 or float16 gives float64, where NumPy's arrays keep their dtype."""

import mygrad as mg
import numpy as np

print("mygrad", mg.__version__)
for dtype in (np.float32, np.float16):
    x = mg.tensor(np.ones(3, dtype))
    print(
        np.dtype(dtype),
        "of the tensor:",
        (x * 2.0).dtype,
        (2 + x).dtype,
        "of the array:",
        (x.data * 2.0).dtype,
    )
