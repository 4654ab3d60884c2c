"""torch: the second derivative of cumprod loses digits in proportion to a small operand, by which its gradient divides."""

import numpy as np
import torch

print("torch", torch.__version__)
g, v = (2.5, -1.25, 3.0), (0.5, 2.25, -2.0)
for small in (1.0, 1e-2, 1e-4, 1e-6):
    x = torch.tensor([-1.75, small, 1.5], dtype=torch.float64, requires_grad=True)
    (first,) = torch.autograd.grad(
        torch.cumprod(x, 0), x, torch.tensor(g, dtype=torch.float64), create_graph=True
    )
    (second,) = torch.autograd.grad(first, x, torch.tensor(v, dtype=torch.float64))
    a, b, c = x.detach().numpy().astype(np.longdouble)
    # Of g0 a + g1 ab + g2 abc: the mixed second derivatives are g1 + g2 c, g2 b and g2 a, the pure ones 0.
    ab, ac, bc = g[1] + g[2] * c, g[2] * b, g[2] * a
    exact = np.array([v[1] * ab + v[2] * ac, v[0] * ab + v[2] * bc, v[0] * ac + v[1] * bc])
    error = float(np.abs(second.numpy() - exact).max() / np.abs(exact).max() / 2.2e-16)
    print(f"operand {small:g}: error {error:.1f} units of 2.2e-16 of the largest entry")
