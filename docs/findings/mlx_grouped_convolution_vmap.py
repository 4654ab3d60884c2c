"""MLX: in vmap over the weights of a convolution of several groups, the gradient of the operand that is captured is wrong, silently."""

import mlx.core as mx

mx.set_default_device(mx.cpu)
x = mx.array([[[1.0, 2.0], [3.0, -1.0], [0.5, 4.0]]])
weights = mx.array([[[[1.0], [2.0]], [[3.0], [-1.0]]], [[[0.5], [1.0]], [[-2.0], [4.0]]]])


def convolution(x, w, groups):
    """Of two channels."""
    return mx.conv1d(x, w, groups=groups)


def gradient(function):
    """Of the sum of all outputs, by x."""
    return mx.grad(lambda x: mx.sum(function(x)))(x).flatten().tolist()


for groups, rows in ((1, mx.concatenate([weights, weights], axis=-1)), (2, weights)):
    mapped = gradient(lambda x, rows=rows, groups=groups: mx.vmap(lambda w: convolution(x, w, groups))(rows))
    looped = gradient(lambda x, rows=rows, groups=groups: sum(convolution(x, w, groups) for w in rows))
    print(f"groups={groups}: mapped {mapped}, by a loop {looped}")

kernels = weights[:, :, :, None, :]
mapped = gradient(lambda x: mx.vmap(lambda w: mx.conv2d(x[:, :, None, :], w, groups=2))(kernels))
looped = gradient(lambda x: sum(mx.conv2d(x[:, :, None, :], w, groups=2) for w in kernels))
print(f"conv2d, groups=2: mapped {mapped}, by a loop {looped}")
