"""torch: huber_loss of a float32 and a float64 operand has a value but its backward raises; mse_loss works."""

import torch
import torch.nn.functional as F

print("torch", torch.__version__)
for loss in (F.mse_loss, F.smooth_l1_loss, F.huber_loss):
    x = torch.tensor([1.0, 2.0], dtype=torch.float32, requires_grad=True)
    t = torch.tensor([0.5, 4.0], dtype=torch.float64, requires_grad=True)
    value = loss(x, t)
    try:
        value.backward()
        print(loss.__name__, value.item(), x.grad.dtype, t.grad.dtype)
    except RuntimeError as error:
        print(loss.__name__, value.item(), "RuntimeError:", str(error).splitlines()[0])
