"""torch: huber_loss of operands of two precisions has a value, and its gradient raises."""

import torch

print("torch", torch.__version__)
for loss in (
    torch.nn.functional.huber_loss,
    torch.nn.functional.smooth_l1_loss,
    torch.nn.functional.mse_loss,
):
    for first, second in ((torch.float32, torch.float64), (torch.float64, torch.float32)):
        x = torch.ones(3, dtype=first, requires_grad=True)
        y = torch.zeros(3, dtype=second, requires_grad=True)
        z = loss(x, y)
        try:
            z.backward()
            print(f"{loss.__name__}({first}, {second}): {z.dtype}, gradients {x.grad.dtype}, {y.grad.dtype}")
        except RuntimeError as error:
            print(f"{loss.__name__}({first}, {second}): {z.dtype}, RuntimeError: {error}")
