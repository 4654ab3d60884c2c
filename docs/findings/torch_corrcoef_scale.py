"""torch: corrcoef divides covariances, which vanish of small rows: its gradient is wrong or NaN where correlations are not."""

import torch

print("torch", torch.__version__)
ROWS = [[1.0, 2.0, 4.0], [3.0, -1.0, 2.0]]
for dtype, scale in ((torch.float64, 1e-160), (torch.float16, 2e-3)):
    for factor in (1.0, scale):
        x = torch.tensor(ROWS, dtype=torch.float64).mul(factor).to(dtype).requires_grad_()
        z = torch.corrcoef(x)
        (gradient,) = torch.autograd.grad(z[0, 1], x)
        print(
            dtype,
            "scaled by",
            factor,
            "correlation",
            z[0, 1].item(),
            "gradient times the scale",
            (gradient.double() * factor).tolist(),
        )
