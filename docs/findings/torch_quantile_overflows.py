"""torch: a quantile between two large numbers of opposite sign is infinite, since their difference is."""

import torch

print("torch", torch.__version__)
for dtype in (torch.float64, torch.float32):
    far = 0.75 * torch.finfo(dtype).max
    x = torch.tensor([-far, far], dtype=dtype)
    for function in (torch.quantile, torch.nanquantile):
        print(
            f"{dtype}: {function.__name__} at 1/4 of {-far:.3g} and {far:.3g} is {function(x, 0.25).item():.3g}, not {-far / 2:.3g}"
        )
