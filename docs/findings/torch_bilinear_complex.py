"""torch: bilinear takes complex operands, and has no gradient of them."""

import torch
import torch.nn.functional as F

print("torch", torch.__version__)
x, y = torch.ones(2, 3, dtype=torch.complex128, requires_grad=True), torch.ones(2, 2, dtype=torch.complex128)
weight = torch.ones(1, 3, 2, dtype=torch.complex128)
print("without a gradient:", F.bilinear(x.detach(), y, weight).tolist())
try:
    print("with one:", F.bilinear(x, y, weight).tolist())
except RuntimeError as error:
    print("with one: RuntimeError:", error)
