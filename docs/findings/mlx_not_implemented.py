"""MLX: it says of these transforms that it does not implement them."""

import mlx.core as mx
import mlx.nn as nn

mx.set_default_device(mx.cpu)
x = mx.array([1.0, 2.0, 3.0])


def pushed(function, x):
    """The tangent along ones."""
    return mx.jvp(function, [x], [mx.ones(x.shape)])[1]


def reads(x):
    """What is read at an index, added up where it stood."""
    return mx.zeros(3).at[mx.array([0, 1, 2])].add(x)


image = mx.ones((2, 1, 4, 4, 1))
for name, call in (
    ("jvp of cumprod", lambda: pushed(mx.cumprod, x)),
    ("jvp of a scatter", lambda: pushed(reads, x)),
    ("jvp of a convolution", lambda: pushed(lambda x: mx.conv1d(x, mx.ones((1, 2, 1))), mx.ones((1, 3, 1)))),
    ("vmap of pooling", lambda: mx.vmap(nn.MaxPool2d(2, 1))(image)),
    (
        "vmap of a convolution of three axes",
        lambda: mx.vmap(lambda x: mx.conv3d(x, x))(mx.ones((2, 1, 3, 3, 3, 1))),
    ),
    ("vmap of a determinant", lambda: mx.vmap(mx.linalg.det)(mx.ones((2, 4, 4)))),
):
    try:
        result = call()
        mx.eval(result)
        print(f"{name}: {result}")
    except (RuntimeError, ValueError) as error:
        print(f"{name}: {error}")
