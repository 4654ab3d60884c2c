"""torch: the gradient of cumprod is the product divided by the operand: where the product underflows, it is zero and not one."""

import torch

print("torch", torch.__version__)
x = torch.tensor([1e-200, 1e-200, 1e200], dtype=torch.float64, requires_grad=True)
torch.cumprod(x, 0)[2].backward()
print("cumprod: got", x.grad.tolist(), "exact", [1.0, 1.0, 0.0])
x = torch.tensor([1e-200, 1e-200, 1e200], dtype=torch.float64, requires_grad=True)
(x[0] * x[1] * x[2]).backward()
print("x0 * x1 * x2: got", x.grad.tolist())
