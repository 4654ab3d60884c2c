"""torch 2.11: the gradient of the trace of a matrix of more rows than columns has entries beside the diagonal."""

import torch

print("torch", torch.__version__)
x = torch.zeros(3, 1, dtype=torch.float64, requires_grad=True)
torch.trace(x).backward()
print("expected [1, 0, 0], got", x.grad[:, 0].tolist())
