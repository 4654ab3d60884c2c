"""MyGrad 2.3.0: a backward pass that is not possible does nothing without an error, or leaves a partial gradient.

Expected of each: the gradients of the definition, or an exception that leaves the gradients unchanged.
"""

import mygrad as mg
import numpy as np
from mygrad.operation_base import Operation

x = mg.tensor([3.0, -2.0], constant=False)
y = x * x
with mg.no_autodiff:
    y.backward([1.0, 1.0])
print("a backward pass inside no_autodiff:", x.grad, "expected [6. -4.]")

x = mg.tensor([1.0, 2.0], constant=False)
y = x + x
y.backward([1.0, -1.0])
y.backward([-3.0, -2.0])
print("a second backward pass through one graph:", x.grad, "expected [-6. -4.], or an error")


class Broken(Operation):
    """a + a, by a rule that raises."""

    def __call__(self, a):
        """The value."""
        self.variables = (a,)
        return a.data + a.data

    def backward_var(self, grad, index, **kwargs):
        """The rule."""
        raise ValueError("on purpose")


x = mg.tensor(np.array([3.0, 2.0]), constant=False)
y = mg.execute_op(Broken, x) - x
try:
    y.backward([1.0, 1.0])
except ValueError as error:
    print("a backward pass that fails,", error, "leaves a partial gradient:", x.grad, "expected None")
