"""tinygrad: einsum with an index pair that stands twice in one operand raises."""

import numpy as np
from tinygrad import Tensor

x = np.arange(36.0).reshape(2, 3, 2, 3)
print("numpy.einsum:", np.einsum("ijij->", x))
try:
    print("Tensor.einsum:", Tensor.einsum("ijij->", Tensor(x)).item())
except (ValueError, AssertionError) as error:
    print("Tensor.einsum:", error)
