"""torch on the CPU: vmap of attention with a bias that needs a gradient raises; and the value is another one where the bias needs none."""

import torch
import torch.nn.functional as F

print("torch", torch.__version__)
torch.manual_seed(0)
q, k, v = (torch.randn(2, 1, 2, 3, 4, dtype=torch.float64) for _ in range(3))
bias = torch.randn(2, 1, 2, 3, 3, dtype=torch.float64)


def attention(q, k, v, bias):
    """The function that is mapped."""
    return F.scaled_dot_product_attention(q, k, v, attn_mask=bias)


needing = bias.clone().requires_grad_()
print("example by example:", attention(q[0], k[0], v[0], needing[0]).sum().item())
try:
    print("mapped:", torch.func.vmap(attention)(q, k, v, needing).sum().item())
except RuntimeError as error:
    print("mapped: RuntimeError:", error)

difference = attention(q[0], k[0], v[0], bias[0]) - attention(q[0], k[0], v[0], needing[0])
print("the value where the bias needs a gradient differs by", difference.abs().max().item())
