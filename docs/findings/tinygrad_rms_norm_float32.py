"""tinygrad: nn.RMSNorm computes float64 in float32."""

import numpy as np
from tinygrad import Tensor, nn

x = np.array([1.5, -0.25, 2.0])
layer = nn.RMSNorm(3, eps=0.1)
layer.weight = Tensor(np.ones(3))
got = layer(Tensor(x)).numpy()
expected = x / np.sqrt((x * x).mean() + 0.1)
print("dtype", got.dtype, "got", got, "expected", expected, "largest error", np.max(np.abs(got - expected)))
