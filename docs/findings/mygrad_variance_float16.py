"""MyGrad: batch normalization in float16 squares on the way to the variance, which overflows; value and gradient become zero."""

import warnings

import mygrad as mg
import numpy as np

warnings.simplefilter("ignore")
print("mygrad", mg.__version__)
entries = np.array([[-262.5, 0.5], [94.0, 24.0], [0.25, -1.25], [-0.5, 1.25]])
for dtype in ("float64", "float16"):
    x = mg.tensor(entries.astype(dtype))
    normal = mg.nnet.batchnorm(x, gamma=None, beta=None, eps=1e-5)
    normal.backward(np.array([[0.5, 1.0], [-1.0, 0.5], [1.0, -0.5], [0.5, 1.0]], dtype))
    print(dtype, "value", normal.data[:, 0].tolist(), "gradient", x.grad[:, 0].tolist())
