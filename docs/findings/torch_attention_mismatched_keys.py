"""torch on the CPU: attention over three keys and two values returns a value; the third key is ignored without an error."""

import torch
import torch.nn.functional as F

print("torch", torch.__version__)
torch.manual_seed(0)
q, k, v = (torch.randn(2, 1, n, 2, dtype=torch.float64, requires_grad=True) for n in (2, 3, 2))
out = F.scaled_dot_product_attention(q, k, v)
out.sum().backward()
print("three keys, two values ->", out.detach().tolist())
print("the same, of two keys  ->", F.scaled_dot_product_attention(q, k[:, :, :2], v).detach().tolist())
print("gradient of the keys   ->", k.grad.tolist())
try:
    print(torch.softmax(q @ k.transpose(-1, -2) / 2**0.5, -1) @ v)
except RuntimeError as error:
    print("written out            -> RuntimeError:", error)
