"""torch: kron refuses an operand that is not contiguous; its error is about a view that its users did not make."""

import torch

a = torch.arange(4.0).reshape(2, 2)
b = torch.arange(3.0).reshape(1, 3)
print("torch", torch.__version__)
print("contiguous", torch.kron(a.T.contiguous(), b).tolist())
try:
    print("transposed", torch.kron(a.T, b).tolist())
except RuntimeError as error:
    print("transposed RuntimeError:", error)
