"""torch: a NaN in the cotangent of logcumsumexp disappears, since the rule takes its positive and its negative part."""

import torch

print("torch", torch.__version__)
x = torch.tensor([0.5, 1.0, 2.0], dtype=torch.float64, requires_grad=True)
for last in (1.0, float("nan")):
    (gradient,) = torch.autograd.grad(
        torch.logcumsumexp(x, 0), x, torch.tensor([1.0, 1.0, last], dtype=torch.float64)
    )
    print(
        f"cotangent [1, 1, {last}]: gradient {gradient.tolist()}, of which every entry depends on the last cotangent"
    )
