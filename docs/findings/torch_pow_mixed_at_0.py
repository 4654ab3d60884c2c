"""torch: the gradient of x**n by x is a constant zero at n = 0, so that its derivative by n is 0 instead of 1/x."""

import torch

print("torch", torch.__version__)
for exponent in (1e-9, 0.0):
    x = torch.tensor(2.0, dtype=torch.float64, requires_grad=True)
    n = torch.tensor(exponent, dtype=torch.float64, requires_grad=True)
    (of_x,) = torch.autograd.grad(x**n, x, create_graph=True)
    (mixed,) = torch.autograd.grad(of_x, n)
    print(f"at n = {exponent}: d/dn d/dx 2ⁿ = {mixed.item():.6f}; expected about 0.5")
