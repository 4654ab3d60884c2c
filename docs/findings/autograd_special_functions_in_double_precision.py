"""autograd 1.9.1: functions of autograd.scipy, and i0, give float64 for float16, and four of them for float32.

SciPy has no loops for float16, and computes these in double precision. autograd's value, and all that follows, stays so.
"""

import autograd.numpy as np
import autograd.scipy.special as special

half, single = np.ones(2, dtype="float16"), np.ones(2, dtype="float32")
for name in ("erf", "erfc", "gammaln", "digamma", "expit", "logit"):
    print(f"{name} of float16: {getattr(special, name)(half).dtype}, expected float16")
print(f"polygamma of float32: {special.polygamma(1, single).dtype}, expected float32")
print(f"multigammaln of float32: {special.multigammaln(single, 1).dtype}, expected float32")
print(f"gammainc of float32: {special.gammainc(2.0, single).dtype}, expected float32")
