"""torch: the gradient of ctc_loss is NaN where a class is impossible at a step, though the loss is finite."""

import math

import torch
import torch.nn.functional as F

print("torch", torch.__version__)
x = torch.tensor([[[-math.inf, 0.0, 0.0]], [[0.0, 0.0, 0.0]]], dtype=torch.float64, requires_grad=True)
target = torch.tensor([[1]])
loss = F.ctc_loss(F.log_softmax(x, -1), target, (2,), (1,), reduction="sum")
loss.backward()
print("ctc_loss   ", loss.item(), x.grad.ravel().tolist())
x.grad = None
a, b = F.log_softmax(x, -1)[:, 0]
loss = -torch.logsumexp(
    torch.stack([a[1] + b[1], a[1] + b[0]]), 0
)  # the alignments without a blank at the first step
loss.backward()
print("written out", loss.item(), x.grad.ravel().tolist())
