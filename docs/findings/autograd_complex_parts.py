"""autograd: the gradients of the size and of the angle of a complex number are infinite, NaN or 0 where numbers are large or small."""

import autograd.numpy as np
from autograd import grad


def size(x, y):
    """|x + iy|."""
    return np.sum(np.abs(x + 1j * y))


def angle(x, y):
    """The angle of x + iy."""
    return np.sum(np.angle(x + 1j * y))


for x, y in ((1e200, 1e200), (1e-170, 1e-170), (1.5e-320, -1.8e-312), (3.0, 4.0)):
    x, y = np.array([x]), np.array([y])
    for name, function, by_parts in (
        ("abs  ", size, lambda x, y: x / np.hypot(x, y)),
        ("angle", angle, lambda x, y: -(y / np.hypot(x, y)) / np.hypot(x, y)),
    ):
        print(name, x, y, "gradient of the real part", grad(function)(x, y), "exact", by_parts(x, y))
