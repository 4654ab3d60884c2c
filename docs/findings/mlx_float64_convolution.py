"""MLX: a convolution of float64 arrays is computed in float32: its value, and the gradient of its input."""

import mlx.core as mx
import numpy as np

mx.set_default_device(mx.cpu)
x = mx.array([[[0.1], [0.2], [0.3]]], dtype=mx.float64)
weight = mx.array([[[0.1], [0.7]]], dtype=mx.float64)
value = mx.conv1d(x, weight)
print("value: got", np.array(value).ravel(), value.dtype, "expected [0.15 0.23]")
(gradient,) = mx.vjp(lambda x: mx.conv1d(x, weight), [x], [mx.array([[[0.1], [0.3]]], dtype=mx.float64)])[1]
print("gradient: got", np.array(gradient).ravel(), gradient.dtype, "expected [0.01 0.1  0.21]")
whole = mx.convolve(x.flatten(), weight.flatten())
print("convolve: got", np.array(whole), whole.dtype, "expected [0.01 0.09 0.17 0.21]")
