"""MLX: the sign of NaN is 0, so that a number that is none becomes one; the Array API standard asks for NaN."""

import importlib.metadata

import mlx.core as mx

print("mlx", importlib.metadata.version("mlx"))
x = mx.array([float("nan"), 2.0, -2.0])
print("sign of", x.tolist(), "is", mx.sign(x).tolist(), "where NumPy has [nan, 1.0, -1.0]")
