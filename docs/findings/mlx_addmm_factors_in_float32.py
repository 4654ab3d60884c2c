"""MLX: addmm of float64 arrays multiplies by alpha and beta rounded to float32; the same by hand has all digits."""

import importlib.metadata

import mlx.core as mx

mx.set_default_device(mx.cpu)
print("mlx", importlib.metadata.version("mlx"))
c, a, b = (mx.array([[number]], dtype=mx.float64) for number in (1.0, 2.0, 3.0))
print("addmm(1, 2, 3, alpha=1, beta=0.3):  ", mx.addmm(c, a, b, alpha=1.0, beta=0.3).item())
print("addmm(1, 2, 3, alpha=0.3, beta=1):  ", mx.addmm(c, a, b, alpha=0.3, beta=1.0).item())
print("right, 2 · 3 + 0.3 and 0.3 · 2 · 3 + 1: ", 6 + 0.3, 0.3 * 6 + 1)
