"""MLX: in gradients of float64 constants are those of float32, as in those of log2, log10 and the determinant's value."""

import mlx.core as mx
import numpy as np

mx.set_default_device(mx.cpu)

x = mx.array(3.0, dtype=mx.float64)
for name, function, base in (("log2", mx.log2, 2), ("log10", mx.log10, 10)):
    got, expected = mx.grad(function)(x).item(), 1 / (3 * np.log(base))
    print(
        f"gradient of {name} at 3: got {got:.17g}, expected {expected:.17g}, relative error {got / expected - 1:.1e}"
    )
a = np.random.default_rng(0).random((4, 4))
got, expected = mx.linalg.det(mx.array(a, dtype=mx.float64)).item(), np.linalg.det(a)
print(f"det: got {got:.17g}, expected {expected:.17g}, relative error {got / expected - 1:.1e}")
