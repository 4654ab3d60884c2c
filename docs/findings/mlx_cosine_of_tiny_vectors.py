"""MLX: the gradient of cosine_similarity_loss divides by the square of a product of norms, which vanishes: NaN."""

import mlx.core as mx
import mlx.nn as nn

print("mlx", mx.__version__)
for size in (2.0**-10, 2.0**-40):
    x, y = size * mx.array([3.0, 4.0]), size * mx.array([4.0, -3.0])
    gradient = mx.grad(lambda x, y: nn.losses.cosine_similarity_loss(x, y, axis=-1, eps=0.0))(x, y)
    print(
        f"vectors of length {5 * size:.2g}: gradient times it {(5 * size * gradient).tolist()}; it should be [0.8, -0.6]"
    )
