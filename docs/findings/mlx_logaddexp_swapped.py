"""MLX: the share of logaddexp's second operand is one less that of the first, so that other digits come of swapped operands."""

import mlx.core as mx

mx.set_default_device(mx.cpu)


def gradients(*operands):
    """Of logaddexp by both operands."""
    return [g.item() for g in mx.vjp(mx.logaddexp, list(operands), [mx.array(1.0)])[1]]


x, y = mx.array(0.0), mx.array(10.0)
first, second = gradients(x, y), gradients(y, x)
print(f"by 0, where the other is 10: got {first[0]!r} as the first operand, {second[1]!r} as the second")
print("expected 4.5397868702434395e-05 in both places")
