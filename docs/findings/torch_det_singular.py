"""torch: the gradient of the determinant of a singular matrix is 0; it is the matrix of cofactors."""

import torch

print("torch", torch.__version__)
for rows, exact in (
    ([[1.0, 2.0], [2.0, 4.0]], [[4, -2], [-2, 1]]),  # det = ad - bc, so its gradient is [[d, -c], [-b, a]]
    ([[1.0, 0.0], [0.0, 0.0]], [[0, 0], [0, 1]]),
):
    x = torch.tensor(rows, dtype=torch.float64, requires_grad=True)
    torch.linalg.det(x).backward()
    by_func = torch.func.grad(torch.linalg.det)(x.detach())
    print(f"det({rows}): got {x.grad.tolist()}, torch.func {by_func.tolist()}, exact {exact}")
