"""MLX: nn.leaky_relu is the larger of x and slope x, which is another function for slopes above 1."""

import mlx.core as mx
import mlx.nn as nn

mx.set_default_device(mx.cpu)
print(nn.leaky_relu.__doc__.strip().splitlines()[-1].strip())
print("slope 4 at -1 and 1: got", nn.leaky_relu(mx.array([-1.0, 1.0]), 4.0).tolist(), "expected [-4.0, 1.0]")
infinite = mx.grad(lambda x: mx.sum(nn.leaky_relu(x, 0.01)))(mx.array([float("-inf")]))
print("gradient at -inf, slope 0.01:", infinite.item())
