"""MLX: the tangents of addmm leave out alpha and beta."""

import mlx.core as mx

mx.set_default_device(mx.cpu)
c, a, b = mx.array([[1.0]]), mx.array([[2.0]]), mx.array([[3.0]])


def scaled(c, a, b):
    """3 c - 2 a b."""
    return mx.addmm(c, a, b, alpha=-2.0, beta=3.0)


for place, name, expected in ((0, "c", 3.0), (1, "a", -6.0), (2, "b", -4.0)):
    tangents = [mx.ones((1, 1)) if i == place else mx.zeros((1, 1)) for i in range(3)]
    got = mx.jvp(scaled, [c, a, b], tangents)[1][0].item()
    print(f"tangent along {name}: got {got}, expected {expected}")
print(
    "gradients:", [g.item() for g in mx.vjp(scaled, [c, a, b], [mx.ones((1, 1))])[1]], "expected [3, -6, -4]"
)
