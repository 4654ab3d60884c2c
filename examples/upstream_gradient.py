"""Why backward() asks for a gradient: an output of eight entries has no one gradient.

`out = x @ a` has shape (2, 4). How x should move depends on how much each of the eight entries
counts, and that is what the upstream gradient says. x then receives upstream @ a.T.
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
