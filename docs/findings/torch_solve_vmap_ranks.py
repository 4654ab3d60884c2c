"""torch: vmap of linalg.solve aligns the mapped axis with a batch axis where the operands differ in rank: wrong values, or an error."""

import torch

torch.manual_seed(0)
print("torch", torch.__version__)
for count in (2, 3):
    a = (4 * torch.eye(2) + torch.rand(count, 2, 1, 2, 2)).double()
    b = torch.rand(count, 1, 2, 2).double()
    loop = torch.stack([torch.linalg.solve(x, y) for x, y in zip(a, b, strict=True)])
    try:
        mapped = torch.vmap(torch.linalg.solve)(a, b)
        print(f"{count} calls: mapped and looped values differ by up to {(mapped - loop).abs().max():.2g}")
    except RuntimeError as error:
        print(f"{count} calls: mapped, it raises", error)
