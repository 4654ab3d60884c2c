"""torch: hardsigmoid cannot be differentiated twice."""

import torch

x = torch.tensor(0.5, dtype=torch.float64, requires_grad=True)
(slope,) = torch.autograd.grad(torch.nn.functional.hardsigmoid(x), x, create_graph=True)
print("torch", torch.__version__, "slope", slope.item())
try:
    torch.autograd.grad(slope, x)
except RuntimeError as error:
    print("second derivative: RuntimeError:", error)
