"""torch: the mixed second derivative of x ** y is 0 at y = 0, where it is 1 / x: a mask for 0 ** 0 removes it."""

import torch

print("torch", torch.__version__)
for exponent in (0.0, 1e-9, 1.0):
    x = torch.tensor(2.5, dtype=torch.float64, requires_grad=True)
    y = torch.tensor(exponent, dtype=torch.float64, requires_grad=True)
    (by_x,) = torch.autograd.grad(x**y, x, create_graph=True)
    (mixed,) = torch.autograd.grad(by_x, y)
    exact = 2.5 ** (exponent - 1) * (1 + exponent * torch.log(x).item())
    print(f"y = {exponent}: d²(x**y)/dxdy = {mixed.item()!r}, exactly {exact!r}")
