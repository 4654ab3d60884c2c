"""torch: the gradient of cholesky_inverse is not 0 in the triangle that is not read, whose entries change it in the other one."""

import torch

print("torch", torch.__version__)
g = torch.tensor([[2.0, 2.75], [1.75, 2.0]], dtype=torch.float64)
for unread in (0.0, -1.0):
    factor = torch.tensor([[4.625, unread], [-0.875, 9.0]], dtype=torch.float64, requires_grad=True)
    (got,) = torch.autograd.grad(torch.cholesky_inverse(factor), factor, g)
    step = torch.zeros(2, 2, dtype=torch.float64)
    step[0, 1] = 1.0
    change = (torch.cholesky_inverse(factor + step) - torch.cholesky_inverse(factor)).abs().max().item()
    print(
        f"[0, 1] = {unread}: the gradient is {got.tolist()}; a step of 1 there changes the value by {change}"
    )
print(
    "expected, whatever stands there: [[-0.0430866707954607, 0], [-0.0140320500680861, -0.0080190300410521]]"
)
