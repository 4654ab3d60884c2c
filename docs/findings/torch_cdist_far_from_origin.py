"""torch: cdist of more than 25 rows far from the origin has another value, and another gradient, than that of 25."""

import torch

print("torch", torch.__version__)
for dtype, offset in ((torch.float32, 2.0**12), (torch.float64, 2.0**41)):
    for rows in (25, 26):
        x = torch.full((rows, 2), offset, dtype=dtype, requires_grad=True)
        y = torch.tensor([[offset - 3, offset + 4]], dtype=dtype)
        distances = torch.cdist(x, y)
        distances.sum().backward()
        print(
            f"{dtype}, {rows} rows: {distances[0].item():.4g}, gradient {x.grad[0].tolist()}; it should be 5, [0.6, -0.8]"
        )
    with torch.no_grad():
        exact = torch.cdist(x, y, compute_mode="donot_use_mm_for_euclid_dist")
    print(f"    without a product of matrices: {exact[0].item():.4g}")
