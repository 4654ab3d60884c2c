"""torch: the gradient of nll_loss with a target for each place fails on the CPU where the scores are not contiguous."""

import torch

print("torch", torch.__version__)
scores = torch.randn(2, 3, 4, 5, dtype=torch.float64).transpose(2, 3)  # such as those of turned pictures
target = torch.randint(0, 3, (2, 5, 4))
for memory, x in {"contiguous": scores.contiguous(), "transposed": scores}.items():
    leaf = x.detach().requires_grad_()
    loss = torch.nn.functional.nll_loss(leaf, target)
    try:
        loss.backward()
        print(memory, "value", loss.item(), "gradient's sum", leaf.grad.sum().item())
    except RuntimeError as error:
        print(memory, "value", loss.item(), "RuntimeError:", error)
