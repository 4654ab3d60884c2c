"""torch: lstsq of the same numbers at another address in memory has other last digits, so that two calls may differ."""

import torch

print("torch", torch.__version__)
torch.manual_seed(0)
differing = 0
for _ in range(200):
    rows, columns, sides = torch.randint(1, 6, (3,)).tolist()
    a, b = torch.randn(rows, columns) + 5 * torch.eye(rows, columns), torch.randn(rows, sides)
    one, two = (torch.linalg.lstsq(a.clone(), b.clone()).solution for _ in range(2))
    differing += not torch.equal(one, two)
print(differing, "of 200 systems have two solutions that differ")
