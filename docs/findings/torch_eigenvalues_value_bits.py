"""torch: eigenvalues and singular values have other bits where a gradient is recorded: vectors are computed with them."""

import torch

torch.manual_seed(0)
a = torch.randn(4, 3, dtype=torch.float64)
print("torch", torch.__version__)
for name, function, x in (("svdvals", torch.linalg.svdvals, a), ("eigvalsh", torch.linalg.eigvalsh, a.T @ a)):
    recorded = function(x.clone().requires_grad_()).detach()
    print(f"{name:8} with a gradient minus without:", (recorded - function(x)).tolist())
