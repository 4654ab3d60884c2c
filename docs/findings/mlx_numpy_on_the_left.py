"""MLX: NumPy arrays on the left of an operator take over: the gradient is silently 0, or a bad cast in C++."""

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


def product(left):
    """By the right operand of a matrix product, of ones."""
    try:
        return mx.vjp(lambda w: left @ w, [mx.ones((2, 1))], [mx.ones((1, 1))])[1][0].tolist()
    except RuntimeError as error:
        return error


print("the left matrix in MLX: got", product(mx.ones((1, 2))), "expected [[1.0], [1.0]]")
print("the left matrix in NumPy: got", product(np.ones((1, 2), np.float32)), "expected [[1.0], [1.0]]")
