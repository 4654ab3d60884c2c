"""torch: the tangent and the second derivative of logcumsumexp are off by ten thousands of units in the last place."""

import numpy as np
import torch
from torch.autograd import forward_ad

x, u = np.array([-3.0, -1.125, 3.0]), np.array([-1.5, 0.0, 2.25])
weights = np.exp(x.astype(np.longdouble))
exact = np.cumsum(weights * u) / np.cumsum(weights)
with forward_ad.dual_level():
    dual = forward_ad.make_dual(torch.tensor(x), torch.tensor(u))
    tangent = forward_ad.unpack_dual(torch.logcumsumexp(dual, 0)).tangent.numpy()
print("torch", torch.__version__)
print("tangent", tangent.tolist(), "exact", exact.astype(float).tolist())
print("error in units of 2.2e-16:", float(np.abs(tangent - exact).max() / 2.2e-16))
