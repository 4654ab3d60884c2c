"""torch: gradients that are finite and representable are lost to squares that overflow or vanish."""

from functools import partial

import torch
import torch.nn.functional as F
from torch.nn.functional import group_norm

print("torch", torch.__version__)


def show(name, function, operands, exact):
    """Print the gradient of a call beside the exact one."""
    leaves = [torch.tensor(x, dtype=torch.float64, requires_grad=True) for x in operands]
    function(*leaves).backward()
    print(f"{name}: got {[x.grad.tolist() for x in leaves]}, exact {exact}")


# d atan2(y, x) = (x dy - y dx) / (x^2 + y^2); at y = x = s that is 1/(2s), -1/(2s)
show("atan2(1e-200, 1e-200)", torch.atan2, (1e-200, 1e-200), [5e199, -5e199])
# d (x + a/b) / db = -a/b^2, here -1e-200/1e-400 = -1e200
show("addcdiv(0, 1e-200, 1e-200)", torch.addcdiv, (0.0, 1e-200, 1e-200), [1, 1e200, -1e200])
# gelu is the identity on the far right, and 0 on the far left
show("gelu(1e160)", lambda x: F.gelu(x, approximate="tanh"), (1e160,), [1])
show("gelu(-1e160)", lambda x: F.gelu(x, approximate="tanh"), (-1e160,), [0])
# x / |x|, at (3, 4) times any number
show("norm([3e200, 4e200])", torch.linalg.vector_norm, ([3e200, 4e200],), [[0.6, 0.8]])
show("norm([3e-200, 4e-200])", torch.linalg.vector_norm, ([3e-200, 4e-200],), [[0.6, 0.8]])
show("matrix_norm([[3e172, 4e172]])", torch.linalg.matrix_norm, ([[3e172, 4e172]],), [[[0.6, 0.8]]])
show("norm([1, 4e200])", torch.linalg.vector_norm, ([1.0, 4e200],), [[2.5e-201, 1.0]])
# scaled to size one before it meets the weight, x w g / rms is an ordinary number; x w g is not
w = torch.tensor([1e300, 1.0], dtype=torch.float64)
show("rms_norm([1e100, 1e100])[0]", lambda x: F.rms_norm(x, (2,), w)[0], ([1e100, 1e100],), [[5e199, -5e199]])
v = torch.tensor([1e300, 1.0, 1.0], dtype=torch.float64)
norm = lambda x: F.layer_norm(x, (3,), v)[0]  # noqa: E731
show(
    "layer_norm([1e100, 0, -1e100])[0]",
    norm,
    ([1e100, 0.0, -1e100],),
    [[2.0412e199, -4.0825e199, 2.0412e199]],
)
# -g x^(-3/2) / 2, here -0.25 * 87289 / 2; the power alone is beyond float16
half = torch.tensor(0.00050807, dtype=torch.float16, requires_grad=True)
torch.rsqrt(half).backward(torch.tensor(0.25, dtype=torch.float16))
print(f"rsqrt(0.00050807) in float16: got {half.grad.item()}, exact -1.09e4")
# 1 / sqrt(x^2 + 1), here 1/300; the square alone is beyond float16
half = torch.tensor(300.0, dtype=torch.float16, requires_grad=True)
torch.asinh(half).backward()
print(f"asinh(300) in float16: got {half.grad.item()}, exact {1 / 300:.3g}")
# 1 / sqrt(x^2 - 1), likewise
half = torch.tensor(300.0, dtype=torch.float16, requires_grad=True)
torch.acosh(half).backward()
print(f"acosh(300) in float16: got {half.grad.item()}, exact {1 / 300:.3g}")
# -g x^(-3/2) / 2, here 1.22e308; twice that is beyond float64
x = torch.tensor(2.968539455229765e-206, dtype=torch.float64, requires_grad=True)
torch.rsqrt(x).backward(torch.tensor(-1.25, dtype=torch.float64))
print(f"rsqrt(3e-206): got {x.grad.item()}, exact 1.222e308")
# of groups of large numbers, times a large weight: the sum of the products of cotangent, weight and operand is beyond float32
x, weight = torch.tensor([[1.0, 2.0, 4.0, 3.0]]) * 2.0**57, torch.full((4,), 2.0**77)
cotangent = torch.tensor([[1.0, -2.0, 0.5, 3.0]])
for dtype in (torch.float32, torch.float64):
    _, pullback = torch.func.vjp(partial(group_norm, num_groups=1, weight=weight.to(dtype)), x.to(dtype))
    print(f"group_norm of 1e17 in {dtype}:", pullback(cotangent.to(dtype))[0].tolist())
# g x / hypot(x, y), whose product is formed first; x / hypot(x, y) is at most 1
for g, x in ((1e-200, 1e-200), (1e200, 1e200)):
    leaf = torch.tensor(x, dtype=torch.float64, requires_grad=True)
    torch.hypot(leaf, torch.tensor(0.0, dtype=torch.float64)).backward(torch.tensor(g, dtype=torch.float64))
    print(f"hypot({x}, 0) under a cotangent of {g}: got {leaf.grad.item()}, exact {g}")
# of the factors' four entries the first alone has a gradient beyond float32; the one below it is made infinite by it
for dtype in (torch.float32, torch.float64):
    factors = torch.tensor([[4e-6, 1e-7], [1e-6, 9e-6]], dtype=dtype, requires_grad=True)
    b, pivots = torch.tensor([[1e28], [-1e27]], dtype=dtype), torch.tensor([1, 2], dtype=torch.int32)
    torch.linalg.lu_solve(factors, pivots, b).backward(torch.full((2, 1), -1.25, dtype=dtype))
    print(f"lu_solve of factors of 1e-6 in {dtype}:", factors.grad.tolist())
