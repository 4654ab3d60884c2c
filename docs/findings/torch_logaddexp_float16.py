"""torch: in float16 the weight of the smaller operand of logaddexp is 1 / (1 + exp(b - a)), whose exponential overflows."""

import torch

a = torch.tensor(17.75, dtype=torch.float16, requires_grad=True)
b = torch.full((1000,), 33.0, dtype=torch.float16)
torch.logaddexp(a, b).backward(torch.ones(1000, dtype=torch.float16))
weight = 1 / (1 + torch.exp(torch.tensor(33.0 - 17.75, dtype=torch.float64)))
print("torch", torch.__version__)
print("got     ", a.grad.item())  # 0.0
print("expected", 1000 * weight.item())  # 2.4e-4, which float16 has; one weight is 2.4e-7, which it has too
