"""MLX: the sine of -0.0 is 0.0, which IEC 60559 makes -0.0; that of other odd functions is -0.0."""

import mlx.core as mx

mx.set_default_device(mx.cpu)
for dtype in (mx.float32, mx.float64):
    for name in ("sin", "tan", "sinh", "tanh", "arctan"):
        zeros = getattr(mx, name)(mx.full([4], -0.0, dtype=dtype))
        print(f"{name} of {dtype}: got {zeros.tolist()}, expected {[-0.0] * 4}")
