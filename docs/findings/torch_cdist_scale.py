"""torch: the powers in cdist are taken without a scale: squares overflow, and its gradient is 0 where it is not.

So are those in pdist, pairwise_distance and normalize, whose gradient may be NaN.
"""

import torch
import torch.nn.functional as F

LARGE = [[3e20, 4e20]]
CALLS = (
    ("cdist", 2.0, lambda x, y: torch.cdist(x, y, 2.0)),
    ("cdist", 3.0, lambda x, y: torch.cdist(x, y, 3.0)),
    ("pdist", 2.0, lambda x, y: F.pdist(torch.cat((x, y)), 2.0)),
    ("pdist", 3.0, lambda x, y: F.pdist(torch.cat((x, y)), 3.0)),
    ("pairwise_distance", 2.0, lambda x, y: F.pairwise_distance(x, y, 2.0)),
    ("pairwise_distance", 3.0, lambda x, y: F.pairwise_distance(x, y, 3.0)),
    ("1e20 times the first entry of normalize", 3.0, lambda x, y: 1e20 * F.normalize(x, 3.0)[:, 0]),
)

print("torch", torch.__version__)
for name, p, call in CALLS:
    gradients = []
    for dtype in (torch.float32, torch.float64):
        x, y = torch.tensor(LARGE, dtype=dtype, requires_grad=True), torch.zeros(1, 2, dtype=dtype)
        gradients.append(torch.autograd.grad(call(x, y).sum(), x)[0].tolist())
    print(name, "p =", p, "gradient", gradients[0], "in double precision", gradients[1])
