"""torch: local_response_norm of a volume that is not contiguous raises: it views what it should reshape."""

import torch
import torch.nn.functional as F

print("torch", torch.__version__)
x = torch.ones(2, 3, 2, 2, 2).transpose(-1, -2).requires_grad_()
F.local_response_norm(x.contiguous(), 2).sum().backward()
print("contiguous: gradient of shape", tuple(x.grad.shape))
try:
    F.local_response_norm(x, 2).sum().backward()
except RuntimeError as error:
    print("transposed: RuntimeError:", error)
