"""torch: linalg.vecdot of two vectors takes any axis, also one that there is not."""

import torch

print("torch", torch.__version__)
x = torch.ones(3)
print("dim=10:", torch.linalg.vecdot(x, x, dim=10))
try:
    torch.linalg.vecdot(torch.ones(2, 3), torch.ones(2, 3), dim=10)
except IndexError as error:
    print("of matrices it raises", error)
