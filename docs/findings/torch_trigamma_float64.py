"""torch: the trigamma function has ten digits in float64, and with it the gradient of digamma; against mpmath."""

import mpmath
import torch

mpmath.mp.prec = 200
print("torch", torch.__version__)
worst = (0.0, 0.0, 0.0, 0.0)
for k in range(1, 129):
    x = torch.tensor(k / 32, dtype=torch.float64, requires_grad=True)
    (gradient,) = torch.autograd.grad(torch.digamma(x), x)
    assert gradient == torch.polygamma(1, x)
    exact = mpmath.polygamma(1, mpmath.mpf(k) / 32)
    error = abs(mpmath.mpf(gradient.item()) - exact) / exact
    worst = max(worst, (float(error), k / 32, gradient.item(), float(exact)))
print("(relative error, x, gradient of digamma, exact)", worst)
