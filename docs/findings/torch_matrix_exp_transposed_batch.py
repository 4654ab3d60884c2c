"""torch: matrix_exp refuses a batch that is not contiguous."""

import torch

print("torch", torch.__version__)
x = torch.arange(24.0).reshape(2, 3, 2, 2) / 8
torch.linalg.matrix_exp(x)
try:
    torch.linalg.matrix_exp(x.permute(1, 0, 2, 3))
except RuntimeError as error:
    print("x is taken, x.permute(1, 0, 2, 3) is not:", error)
