"""torch: aminmax of all entries that keeps the axes leaves one alone where it is mapped."""

import torch

print("torch", torch.__version__)
x = torch.arange(12.0).reshape(2, 2, 3)
print("of a matrix:", list(torch.aminmax(x[0], keepdim=True).min.shape))
mapped = torch.func.vmap(lambda row: torch.aminmax(row, keepdim=True).min)(x)
print("of each of two matrices:", list(mapped.shape), "expected", [2, 1, 1])
