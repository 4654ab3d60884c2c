"""torch: the gradient of ctc_loss cannot be differentiated."""

import torch
import torch.nn.functional as F

print("torch", torch.__version__)
x = torch.zeros(2, 1, 2, dtype=torch.float64, requires_grad=True)
z = F.ctc_loss(F.log_softmax(x, -1), torch.tensor([[1]]), (2,), (1,), reduction="sum")
try:
    (g,) = torch.autograd.grad(z, x, create_graph=True)
    print(torch.autograd.grad(g.square().sum(), x))
except RuntimeError as error:
    print("RuntimeError:", error)
