"""torch: the gradient of matrix_exp loses digits with a large cotangent, which is put beside the matrix in a larger one."""

import torch

print("torch", torch.__version__)
x = torch.tensor([[-2.75, -2.125], [1.875, 2.625]], dtype=torch.float64, requires_grad=True)
g = torch.tensor([[-0.75, 1.0], [-2.75, -1.5]], dtype=torch.float64)
(exact,) = torch.autograd.grad(torch.linalg.matrix_exp(x), x, g)
print("the gradient is linear in the cotangent; it is off by")
for exponent in (1, 20, 40, 60):
    (gradient,) = torch.autograd.grad(torch.linalg.matrix_exp(x), x, g * 2.0**exponent)
    error = (gradient / 2.0**exponent - exact).abs().max() / exact.abs().max()
    print(f"{error:.1e} where the cotangent is 2**{exponent} times as large")
