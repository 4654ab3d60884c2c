"""torch: the gradient of instance_norm is wrong where the upstream gradient has its channels last in memory, in images of width 1."""

import torch
import torch.nn.functional as F

print("torch", torch.__version__)
torch.manual_seed(0)
operand, upstream = torch.randn(1, 2, 3, 1), torch.randn(1, 2, 3, 1)


def gradients(upstream):
    """Those of the operand and of the weight."""
    x, weight = operand.clone().requires_grad_(), torch.tensor([1.0, -3.0], requires_grad=True)
    y = F.instance_norm(x, weight=weight, bias=torch.zeros(2))
    return [g.flatten().tolist() for g in torch.autograd.grad(y, (x, weight), upstream)]


channels_last = upstream.permute(3, 2, 1, 0).contiguous().permute(3, 2, 1, 0)
assert torch.equal(upstream, channels_last)
print("strides", upstream.stride(), *gradients(upstream))
print("strides", channels_last.stride(), *gradients(channels_last))
