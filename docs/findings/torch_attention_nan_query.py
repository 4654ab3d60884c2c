"""torch: scaled_dot_product_attention of a query that is NaN is 0 by its fused kernel, where its plain one gives NaN."""

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel

print("torch", torch.__version__)
query, key, value = (torch.ones(1, 1, 2, 2, dtype=torch.float64) for _ in range(3))
query[0, 0, 0, 0] = float("nan")
for kernel in (SDPBackend.MATH, SDPBackend.FLASH_ATTENTION):
    with sdpa_kernel(kernel):
        out = torch.nn.functional.scaled_dot_product_attention(query, key, value)
    print(kernel.name, out.tolist())
