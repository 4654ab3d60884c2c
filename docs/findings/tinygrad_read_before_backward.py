"""tinygrad: once the value of what ends with contiguous() was read, as that of sort, it has no history: gradients None or 0."""

import numpy as np
from tinygrad import Tensor

for name, function in (("sort", lambda x: x.sort()[0]), ("contiguous", lambda x: (2 * x).contiguous())):
    for is_read in (False, True):
        x = Tensor(np.array([2.0, 1.0])).clone()
        y = function(x)
        if is_read:
            y.numpy()
        y.backward(Tensor(np.array([1.0, 3.0])))
        got = None if x.grad is None else x.grad.numpy()
        print(f"{name}, its value {'read' if is_read else 'not read'} before: gradient {got}")

for is_read in (False, True):
    x = Tensor(np.array([2.0, 1.0])).clone()
    y = (2 * x).contiguous()
    if is_read:
        y.numpy()
    (slope,) = (y * x).sum().gradient(x)
    print(
        f"gradient() of y x, y = 2 x, its value {'read' if is_read else 'not read'} before: {slope.numpy()}, right [8. 4.]"
    )
