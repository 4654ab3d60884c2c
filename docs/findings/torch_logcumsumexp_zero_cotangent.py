"""torch: the derivative of logcumsumexp's gradient by its cotangent is NaN where the cotangent has zeros, since the rule takes its logarithm."""

import torch

print("torch", torch.__version__)
for entries in ((1.0, 2.0, 1.25), (0.0, 0.0, 1.25)):
    x = torch.tensor([1.75, 1.75, 1.75], dtype=torch.float64, requires_grad=True)
    g = torch.tensor(entries, dtype=torch.float64, requires_grad=True)
    (gradient,) = torch.autograd.grad(torch.logcumsumexp(x, 0), x, g, create_graph=True)
    (by_cotangent,) = torch.autograd.grad(gradient.sum(), g)
    print(
        f"cotangent {entries}: the derivative of the gradient's sum by it is {by_cotangent.tolist()}, not [1, 1, 1]"
    )
