"""torch: the gradient of logcumsumexp loses digits in proportion to its operand: it passes through the logarithm of a product."""

import torch

print("torch", torch.__version__)
for x in (1e3, 1e6, 1e9, 1e12):
    t = torch.tensor([-x, x], dtype=torch.float64, requires_grad=True)
    torch.logcumsumexp(t, 0).backward(torch.tensor([0.0, 5.75], dtype=torch.float64))
    # the second sum is exp(x) alone, in double precision: its gradient is the cotangent
    print(
        f"x = {x:g}: got {t.grad[1].item():.17g} expected 5.75, relative error {abs(t.grad[1].item() / 5.75 - 1):.1e}"
    )
