"""torch: logcumsumexp's VJP takes the logarithm of the cotangent, so doubling the cotangent does not double it exactly."""

import torch

d = torch.float64
count = 0
worst = 0.0
for seed in range(100):
    gen = torch.Generator().manual_seed(seed)
    x = torch.randn(5, dtype=d, generator=gen, requires_grad=True)
    g = torch.randn(5, dtype=d, generator=gen)
    (one,) = torch.autograd.grad(torch.logcumsumexp(x, 0), x, g)
    (two,) = torch.autograd.grad(torch.logcumsumexp(x, 0), x, 2 * g)
    count += not torch.equal(two, 2 * one)
    worst = max(worst, float(((two - 2 * one) / (2 * one)).abs().max()))
print("torch", torch.__version__, f"{count} of 100 draws differ, worst relative difference {worst:.1e}")
