"""tinygrad: asin, acos and atan of float64 are as accurate as in float32."""

import numpy as np
from tinygrad import Tensor

x = np.array([0.3, 0.9, -0.7])
for name in ("asin", "acos", "atan"):
    got, expected = getattr(Tensor(x), name)().numpy(), getattr(np, f"arc{name[1:]}")(x)
    print(f"{name}: largest error {np.max(np.abs(got - expected)):.1e}")
