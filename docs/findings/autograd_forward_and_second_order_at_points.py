"""autograd: tanh has no second derivative at large operands, and prod no tangent beside a zero."""

import autograd.numpy as np
from autograd import elementwise_grad, grad, make_jvp

with np.errstate(all="ignore"):
    for x in (1000.0, np.inf):
        print(
            f"tanh at {x}: slope {grad(np.tanh)(x)}, second derivative {grad(grad(np.tanh))(x)}, expected 0.0"
        )
        push = make_jvp(lambda y: elementwise_grad(np.tanh)(y))(x)
        print(f"tanh at {x}: the slope's tangent {push(1.0)[1]}, expected 0.0")
    for x, place, expected in (
        ([2.0, 0.0, 3.0], 1, 6.0),
        ([0.0, 5.0], 0, 5.0),
        ([5e-324, 2.0], 0, 2.0),
    ):
        direction = np.eye(len(x))[place]
        tangent = make_jvp(np.prod)(np.array(x))(direction)[1]
        print(f"prod of {x}: the tangent along entry {place} {tangent}, expected {expected}")
