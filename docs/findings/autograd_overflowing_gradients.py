"""autograd: gradients that are finite and representable are lost to squares that overflow or vanish."""

import importlib.metadata
import warnings

from autograd import grad, make_vjp
from autograd import numpy as np

warnings.simplefilter("ignore")
print("autograd", importlib.metadata.version("autograd"))


def show(name, function, operands, exact):
    """Print the gradients of a call beside the exact ones."""
    got = [grad(function, i)(*(np.array(x) for x in operands)).tolist() for i in range(len(operands))]
    print(f"{name}: got {got}, exact {exact}")


# d (x / y) / dy = -x / y^2, here -1e-180 / 1e-360
show("1e-180 / 1e-180", np.divide, (1e-180, 1e-180), [1e180, -1e180])
# x / |x|
show("norm([3e200, 4e200])", np.linalg.norm, ([3e200, 4e200],), [[0.6, 0.8]])
show("norm([3e-200, 4e-200])", np.linalg.norm, ([3e-200, 4e-200],), [[0.6, 0.8]])
# of singular vectors: 1 / (s_i^2 - s_j^2) times s
matrix = np.array([[3e-200, 1e-200], [0.0, 1e-200]])
print(
    "svd of 1e-200:", grad(lambda x: np.sum(np.linalg.svd(x, full_matrices=False)[0] ** 3))(matrix).tolist()
)
# d atan2(y, x) = (x dy - y dx) / (x^2 + y^2)
show("atan2(1e-200, 1e-200)", np.arctan2, (1e-200, 1e-200), [5e199, -5e199])
# 1 / sqrt(x^2 + 1), here 1/300; the square alone is beyond float16
pullback, _ = make_vjp(np.arcsinh)(np.array(300, np.float16))
print("arcsinh(300) in float16: got", pullback(np.array(1, np.float16)), "exact", 1 / 300)
# 1 / sqrt(x^2 - 1), likewise
pullback, _ = make_vjp(np.arccosh)(np.array(300, np.float16))
print("arccosh(300) in float16: got", pullback(np.array(1, np.float16)), "exact", 1 / 300)
# 1 / (x log 10), where 1 / x alone is beyond the type
pullback, _ = make_vjp(np.log10)(np.array(1e-308))
print("log10(1e-308): got", pullback(np.array(2.0)), "exact", 2 / np.log(10) / 1e-308)
