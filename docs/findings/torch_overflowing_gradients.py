"""torch: gradients that are finite and representable are lost to squares that overflow or vanish."""

import torch
import torch.nn.functional as F

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
