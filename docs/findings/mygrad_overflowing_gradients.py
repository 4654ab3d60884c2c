"""MyGrad: gradients that are finite and representable are lost to squares that overflow or vanish."""

import warnings

import mygrad as mg
import numpy as np

warnings.simplefilter("ignore")
print("mygrad", mg.__version__)


def show(name, function, operands, exact):
    """Print the gradients of a call beside the exact ones."""
    leaves = [mg.tensor(np.array(x)) for x in operands]
    function(*leaves).backward()
    print(f"{name}: got {[x.grad.tolist() for x in leaves]}, exact {exact}")


# d (x / y) / dy = -x / y^2, here -1e-180 / 1e-360
show("1e-180 / 1e-180", mg.divide, (1e-180, 1e-180), [1e180, -1e180])
# 1 / (3 x^(2/3)), here of 1e-240
show("cbrt(1e-240)", mg.cbrt, (1e-240,), [1 / 3 * 1e160])
# x / |x|
show("norm([3e200, 4e200])", mg.linalg.norm, ([3e200, 4e200],), [[0.6, 0.8]])
show("norm([3e-200, 4e-200])", mg.linalg.norm, ([3e-200, 4e-200],), [[0.6, 0.8]])
# d atan2(y, x) = (x dy - y dx) / (x^2 + y^2)
show("atan2(1e-200, 1e-200)", mg.arctan2, (1e-200, 1e-200), [5e199, -5e199])
