"""torch: NaN or 0 where the gradient has a limit, or a finite subdifferential."""

import torch
import torch.nn.functional as F

print("torch", torch.__version__)
inf = float("inf")


def show(name, function, operands, exact, upstream=1.0):
    """Print the gradient of a call beside the exact one."""
    leaves = [torch.tensor(x, dtype=torch.float64, requires_grad=True) for x in operands]
    function(*leaves).backward(torch.tensor(upstream, dtype=torch.float64))
    print(f"{name}: got {[x.grad.tolist() for x in leaves]}, exact {exact}")


# hypot is a norm: no slope of it is larger than 1. vector_norm of the same numbers gives zeros.
show("hypot(0, 0)", torch.hypot, (0.0, 0.0), "any [a, b] with a^2 + b^2 <= 1")
# xlogy(0, y) is 0 for every y: it does not depend on y
show("xlogy(0, 0) in y", lambda y: torch.special.xlogy(torch.zeros_like(y), y), (0.0,), [0])
# xlog1py(0, y) too
show("xlog1py(0, -1) in y", lambda y: torch.special.xlog1py(torch.zeros_like(y), y), (-1.0,), [0])
# gammainc(1, x) is 1 - exp(-x), and gammaincc(1, x) is exp(-x)
show("gammainc(1, 0) in x", lambda x: torch.special.gammainc(torch.ones_like(x), x), (0.0,), [1])
show("gammaincc(1, 0) in x", lambda x: torch.special.gammaincc(torch.ones_like(x), x), (0.0,), [-1])
# -log(1 - p) has slope 1/(1 - p), which is 1 at 0; the slope of -log p at 1 is -1
for p in (0.0, 1e-9):
    show(
        f"binary_cross_entropy({p:g}, 0)", lambda p: F.binary_cross_entropy(p, torch.zeros_like(p)), (p,), [1]
    )
show("binary_cross_entropy(1, 1)", lambda p: F.binary_cross_entropy(p, torch.ones_like(p)), (1.0,), [-1])
# log(exp(-inf) + exp(0)) = 0; with weights 0 and 1
show("logcumsumexp([-inf, 0])", lambda x: torch.logcumsumexp(x, 0), ([-inf, 0.0],), [[0, 1]], [0.0, 1.0])
