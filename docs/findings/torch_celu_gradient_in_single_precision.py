"""torch: the gradient of celu has the digits of float32 in float64, where 1/alpha has more than these; elu's has all."""

import torch

print("torch", torch.__version__)
alpha = 0.3
x = torch.tensor([-1.0, -0.5, -0.2], dtype=torch.float64, requires_grad=True)
torch.nn.functional.celu(x, alpha=alpha).sum().backward()
right = torch.exp(x.detach() / alpha)  # the derivative of alpha (exp(x / alpha) - 1)
print("gradient of celu:", x.grad.tolist())
print("exp(x / alpha):  ", right.tolist())
print("relative error:  ", (x.grad / right - 1).tolist())
