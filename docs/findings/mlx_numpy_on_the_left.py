"""MLX: NumPy arrays on the left of an operator take over: the gradient is silently 0, as in huber_loss of a NumPy array."""

import mlx.core as mx
import mlx.nn as nn
import numpy as np

mx.set_default_device(mx.cpu)
inputs, targets = np.array([1.0, 2.0], np.float32), mx.array([3.0, 5.0])
print("array - mx.array is a", type(inputs - targets).__name__)


def gradient(inputs):
    """By the targets."""
    return mx.grad(lambda t: nn.losses.huber_loss(inputs, t, reduction="sum"))(targets).tolist()


print("inputs in MLX: got", gradient(mx.array(inputs)), "expected [1.0, 1.0]")
print("inputs in NumPy: got", gradient(inputs), "expected [1.0, 1.0]")
