"""torch: a boolean mask is added to the scores of attention as -inf, so that a NaN in a key reaches queries that do not see it."""

import torch
import torch.nn.functional as F

print("torch", torch.__version__)
q, v = torch.ones(1, 1, 2, 2), torch.ones(1, 1, 2, 1)
k = torch.tensor([[[[1.0, 2.0], [float("nan"), 1.0]]]])
mask = torch.tensor([[True, False], [True, True]])
print(
    "the first query sees the first key alone:",
    F.scaled_dot_product_attention(q, k, v, attn_mask=mask).ravel().tolist(),
)
