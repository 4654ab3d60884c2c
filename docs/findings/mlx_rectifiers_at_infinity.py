"""MLX: leaky_relu and prelu multiply an infinity by zero, and are NaN where the other side of them counts."""

import mlx.core as mx
import mlx.nn as nn

inf = mx.array([float("inf")])
print("leaky_relu(inf) of slope 0:", nn.leaky_relu(inf, 0.0).tolist(), "expected [inf]")
print("prelu(1) of slope -inf:", nn.prelu(mx.array([1.0]), -inf).tolist(), "expected [1.0]")
