"""Of one entry a layer norm leaves 0, so its weight's gradient is 0; torch subtracts two products, whose rounding it keeps.

In float32 the gradient of the weight is g (x r − m r), in which the mean m is x and r is the reciprocal root.
"""

import torch
from torch.nn.functional import group_norm, layer_norm

for x in (1e6 / 3, 1e6 + 1 / 3):
    weight = torch.ones(1, requires_grad=True)
    layer_norm(torch.tensor([[x]]), (1,), weight, torch.zeros(1), eps=1e-5).sum().backward()
    print("expected 0, got", weight.grad.item())

x = torch.full((2, 1, 1), 1e6 + 1 / 3)
weight, bias = torch.tensor([2.0], requires_grad=True), torch.tensor([3.0])
z = group_norm(x, 1, weight, bias, eps=1 / 3)
z.sum().backward()
print("group_norm: expected [3, 3] and 0, got", z.flatten().tolist(), "and", weight.grad.item())
