"""MLX: mx.fast.layer_norm and mx.fast.rms_norm of float64 are computed in float32."""

import mlx.core as mx
import numpy as np

mx.set_default_device(mx.cpu)

x = np.random.default_rng(0).random((2, 5))
operand, ones = mx.array(x, dtype=mx.float64), mx.ones(5, dtype=mx.float64)
layer = mx.fast.layer_norm(operand, ones, 0 * ones, 1e-5)
expected = (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-5)
print("layer_norm: dtype", layer.dtype, "largest error", np.max(np.abs(np.array(layer) - expected)))
rms = mx.fast.rms_norm(operand, ones, 1e-5)
expected = x / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-5)
print("rms_norm: dtype", rms.dtype, "largest error", np.max(np.abs(np.array(rms) - expected)))
