"""torch: the gradient of gaussian_nll is (x - t)/v; where 1/v overflows it is infinite."""

import torch
import torch.nn.functional as F

print("torch", torch.__version__)
x = torch.tensor(-7e-43, requires_grad=True)
variance = torch.tensor(2.1e-40)
F.gaussian_nll_loss(x, torch.tensor(0.0), variance, eps=1e-45).backward()
print("the gradient at -7e-43, variance 2.1e-40: got", x.grad.item(), "exactly", x.item() / variance.item())
