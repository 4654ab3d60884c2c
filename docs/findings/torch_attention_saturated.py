"""torch: attention's gradient of `value` loses tens of ulp at saturated weights (4-d operands, CPU flash kernel)."""

import torch
import torch.nn.functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel

torch.manual_seed(0)
d = torch.float64
worst = {}
for kind in (SDPBackend.MATH, SDPBackend.FLASH_ATTENTION):
    worst[kind] = 0.0
    for seed in range(200):
        g = torch.Generator().manual_seed(seed)
        q, k, v = (16 * torch.randn(1, 1, 2, 2, dtype=d, generator=g) for _ in range(3))
        v.requires_grad_()
        with sdpa_kernel(kind):
            out = F.scaled_dot_product_attention(q, k, v)
        out.sum().backward()
        s = q @ k.mT / 2**0.5
        w = torch.softmax(s, -1)
        exact = w.mT @ torch.ones(1, 1, 2, 2, dtype=d)
        big = exact > 0.5
        worst[kind] = max(worst[kind], float(((v.grad - exact).abs()[big] / exact[big]).max() / 2.2e-16))
print(
    "torch",
    torch.__version__,
    "worst relative error of large entries in units of 2.2e-16:",
    {k.name: round(x, 1) for k, x in worst.items()},
)
