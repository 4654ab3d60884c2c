"""autograd: the gradient of where has double precision, whatever its operands have."""

import autograd
import autograd.numpy as np

condition = np.array([True, False, True])
for dtype in (np.float16, np.float32, np.complex64):
    x = np.array([1.0, 2.0, 3.0], dtype)
    pullback, value = autograd.make_vjp(lambda x: np.where(condition, x, x.dtype.type(0)))(x)
    print(f"where of {x.dtype} has {value.dtype}, its gradient {pullback(np.ones_like(value)).dtype}")
