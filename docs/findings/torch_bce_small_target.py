"""torch: the loss of a logit far below 0 is the size of the logit times the target; a small target loses its digits."""

import torch
import torch.nn.functional as F

print("torch", torch.__version__)
for dtype, logit, target in (
    (torch.float32, -100.0, 1e-6),
    (torch.float32, -1e4, 1e-7),
    (torch.float64, -1e4, 1e-13),
):
    x, t = torch.tensor(logit, dtype=dtype), torch.tensor(target, dtype=dtype)
    got = F.binary_cross_entropy_with_logits(x, t).item()
    print(f"{dtype} at {logit:g}, target {target:g}: got {got:.9g}, exactly {-x.item() * t.item():.9g}")
