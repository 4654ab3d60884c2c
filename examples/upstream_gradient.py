"""Why backward() needs a gradient argument: an output of eight entries has no single gradient.

`out = x @ a` has shape (2, 4). The gradient of x depends on how much each of the eight
entries counts. The upstream gradient says that; x then receives upstream @ a.T.
"""

import numpy as np
from conformance_backends.numpy_engine import Tensor

x = Tensor(np.ones((2, 3)), requires_grad=True)
a = Tensor(np.ones((3, 4)), requires_grad=True)
out = x @ a

try:
    out.backward()
except ValueError as refusal:
    print("without one:", refusal)

upstream = np.arange(1.0, 9.0).reshape(2, 4)
out.backward(upstream)
print("x.grad\n", x.grad)
print("a.grad\n", a.grad)
np.testing.assert_array_equal(x.grad, upstream @ a.value.T)
np.testing.assert_array_equal(a.grad, x.value.T @ upstream)
