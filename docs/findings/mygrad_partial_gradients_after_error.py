"""MyGrad: a backward that an exception ends has already filled some tensors; the others keep what they had."""

import mygrad as mg
import numpy as np
from mygrad.operation_base import Operation


class Raises(Operation):
    """Doubles; its rule raises."""

    def __call__(self, x):
        """The value."""
        self.variables = (x,)
        return x.data + x.data

    def backward_var(self, grad, index, **kwargs):
        """The rule."""
        raise ValueError("raised inside a rule")


print("mygrad", mg.__version__)
x, w = mg.tensor(np.ones(3)), mg.tensor(np.ones(3))
out = mg.execute_op(Raises, x) + w
try:
    out.sum().backward()
except ValueError as error:
    print("ValueError:", error)
print("x.grad", x.grad, "  w.grad", w.grad, " expected both None")
