"""torch: causal attention adds its mask, so that a score that it leaves out makes everything NaN where it overflows."""

import torch
import torch.nn.functional as F

print("torch", torch.__version__)
q = torch.tensor([[1e30], [1.0]], requires_grad=True)
k = torch.tensor([[1.0], [1e30]], requires_grad=True)
v = torch.tensor([[1.0], [2.0]], requires_grad=True)
y = F.scaled_dot_product_attention(q, k, v, is_causal=True)  # the first row sees the first key alone
y[0].sum().backward()
print("value", y[0].tolist(), "exact [1.0]")
print("gradient of the values", v.grad.ravel().tolist(), "exact [1.0, 0.0]")
