"""torch: matmul of a matrix and a stack of matrices folds the stack or not by whether the matrix needs a gradient.

The value computed along with a gradient so differs from the plain one in its last bits.
"""

import torch

print("torch", torch.__version__)

torch.manual_seed(0)
a, b = torch.randn(2, 3, dtype=torch.float64), torch.randn(3, 3, 2, dtype=torch.float64)
plain = torch.matmul(a, b)
for first, second in ((False, True), (True, False)):
    along = torch.matmul(a.clone().requires_grad_(first), b.clone().requires_grad_(second)).detach()
    which = "the matrix" if first else "the stack"
    print(f"where {which} needs a gradient, {int((along != plain).sum())} of {plain.numel()} entries differ")
