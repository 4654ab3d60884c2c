"""torch: logcumsumexp's VJP takes the logarithm of the cotangent, and so loses digits where that is far from one."""

import numpy as np
import torch

print("torch", torch.__version__)
for exponent in (0, 20, 100, 300):
    worst = 0.0
    for seed in range(200):
        rng = np.random.default_rng(seed)
        x, g = rng.integers(-24, 25, 5) / 8, rng.integers(1, 13, 5) * 2.0**exponent
        leaf = torch.tensor(x, requires_grad=True)
        torch.logcumsumexp(leaf, 0).backward(torch.tensor(g))
        weights = np.exp(x.astype(np.longdouble))
        exact = weights * np.cumsum((g / np.cumsum(weights))[::-1])[::-1]
        worst = max(worst, float(np.abs(leaf.grad.numpy() - exact).max() / np.abs(exact).max() / 2.2e-16))
    print(f"cotangents of size 2^{exponent}: worst error {worst:.1f} units of 2.2e-16 of the largest entry")
