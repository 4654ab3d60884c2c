"""MLX: in vmap the inverse of a triangle, and so solve_triangular, reads the whole matrix, silently."""

import mlx.core as mx

mx.set_default_device(mx.cpu)
a, b = mx.array([[[4.0, 1.0], [2.0, 8.0]]]), mx.array([[[4.0], [8.0]]])
for name, solve in (("called", mx.linalg.solve_triangular), ("in vmap", mx.vmap(mx.linalg.solve_triangular))):
    print(f"{name}: got {solve(a, b).tolist()}, expected [[[1.0], [0.75]]]")
