"""MLX: exp, sin, cos, erf and erfinv of float64 arrays are as accurate as in float32."""

import mlx.core as mx
import numpy as np

mx.set_default_device(mx.cpu)
values = np.array([0.5, 1.0, 2.0])
x = mx.array(values, dtype=mx.float64)
for name in ("exp", "sin", "cos"):
    got, expected = np.array(getattr(mx, name)(x)), getattr(np, name)(values)
    print(f"{name}: got {got}, expected {expected}, relative error {np.max(np.abs(got / expected - 1)):.1e}")
inverse = mx.erfinv(mx.array(0.5, dtype=mx.float64)).item()
print(f"erfinv of 0.5: got {inverse!r}, expected 0.47693627620446987")
error = mx.erf(mx.array(0.5, dtype=mx.float64)).item()
print(f"erf of 0.5: got {error!r}, expected 0.5204998778130465")
