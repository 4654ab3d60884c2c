"""torch: forward mode of cholesky_solve is wrong where b has the shape of a stack of vectors, one for each factor."""

import functools

import torch

print("torch", torch.__version__)
torch.manual_seed(0)
for count in (2, 3):
    b = torch.randn(3, count, dtype=torch.float64)
    factor = (torch.randn(count, 3, 3, dtype=torch.float64) + 4 * torch.eye(3, dtype=torch.float64)).tril()
    along = torch.randn_like(factor).tril()
    solved = functools.partial(torch.cholesky_solve, b)
    _, tangent = torch.func.jvp(solved, (factor,), (along,))
    apart = torch.stack([torch.func.jvp(solved, (f,), (v,))[1] for f, v in zip(factor, along, strict=True)])
    print(
        "b",
        tuple(b.shape),
        "factors",
        tuple(factor.shape),
        "tangent off by",
        (tangent - apart).abs().max().item(),
    )
