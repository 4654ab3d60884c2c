"""MLX: the determinant of a matrix with four rows and more is the exponential of its logarithm, which loses digits."""

import mlx.core as mx

mx.set_default_device(mx.cpu)
for n in (3, 4, 8):
    got = mx.linalg.det(1000 * mx.eye(n)).item()
    print(f"det of 1000 on a diagonal of {n}: got {got:.7e}, expected 1.0000000e+{3 * n}")
