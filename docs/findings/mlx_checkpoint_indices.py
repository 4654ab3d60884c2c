"""MLX: gradients through indices raise in a checkpointed function, and in the gradient of a tangent."""

import mlx.core as mx

mx.set_default_device(mx.cpu)
x, indices = mx.ones(3), mx.array([0, 1])


def of_taken(take):
    """The gradient of what is taken."""
    return mx.grad(lambda x: mx.sum(take(x, indices)))(x)


def of_a_tangent():
    """The gradient of a tangent of the largest entry."""
    return mx.grad(lambda x: mx.jvp(mx.max, [x], [mx.ones(3)])[1][0])(x)


for name, call in (
    ("plain", lambda: of_taken(mx.take)),
    ("checkpointed", lambda: of_taken(mx.checkpoint(mx.take))),
    ("of a tangent of max", of_a_tangent),
):
    try:
        print(f"{name}: {call().tolist()}")
    except ValueError as error:
        print(f"{name}: {error}")
