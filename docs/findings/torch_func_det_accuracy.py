"""torch.func: the gradient of det of a well-conditioned matrix is an order of magnitude less accurate than on the tape."""

import numpy as np
import torch

worst = {"tape": 0.0, "func": 0.0}
for seed in range(300):
    a = np.random.default_rng(seed).integers(-8, 9, (3, 3)) / 8 + 4 * np.eye(3)
    x = a.astype(np.longdouble)
    exact = np.array([np.cross(x[(i + 1) % 3], x[(i + 2) % 3]) for i in range(3)])  # the cofactors
    tape = torch.tensor(a, requires_grad=True)
    torch.linalg.det(tape).backward()
    _, pullback = torch.func.vjp(torch.linalg.det, torch.tensor(a))
    func = pullback(torch.ones((), dtype=torch.float64))[0]
    for name, got in (("tape", tape.grad.numpy()), ("func", func.numpy())):
        worst[name] = max(worst[name], float(np.abs(got - exact).max() / np.abs(exact).max() / 2.2e-16))
print(
    "torch",
    torch.__version__,
    "worst error over the largest entry, in units of 2.2e-16:",
    {k: round(v, 1) for k, v in worst.items()},
)
