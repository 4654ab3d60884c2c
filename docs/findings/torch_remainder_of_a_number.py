"""torch: the remainder of a Python number by a tensor has a value and no gradient; of a tensor by a tensor it has one."""

import torch

print("torch", torch.__version__)
x = torch.tensor([2.0, 3.0], dtype=torch.float64, requires_grad=True)
torch.remainder(torch.tensor(7.0, dtype=torch.float64), x).sum().backward()
print("of a tensor:", x.grad.tolist())
try:
    torch.remainder(7.0, x).sum().backward()
except RuntimeError as error:
    print("of a number:", error)
