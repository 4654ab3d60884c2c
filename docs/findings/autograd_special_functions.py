"""autograd: special functions whose gradients change dtype, are NaN where the exact ones are finite, or whose values lose digits."""

import importlib.metadata
import warnings

import autograd
import autograd.numpy as np
from autograd.scipy.special import betaln, erfinv, gammainc, gammaincc, i0, i1, j0, j1, multigammaln

warnings.simplefilter("ignore")
print("autograd", importlib.metadata.version("autograd"))
slope = autograd.elementwise_grad
for dtype in (np.float16, np.float32):
    x = np.array([0.5, 0.75], dtype)
    for name, function in (
        ("erfinv", erfinv),
        ("i0", i0),
        ("i1", i1),
        ("j0", j0),
        ("j1", j1),
        ("multigammaln", lambda x: multigammaln(x, 1)),
        ("betaln", lambda x: betaln(x, x)),
        ("gammainc", lambda x: gammainc(2.5, x)),
        ("gammaincc", lambda x: gammaincc(2.5, x)),
    ):
        print(np.dtype(dtype), "the gradient of", name, "has", slope(function)(x).dtype)
# x^1.5 overflows, and e^-x is 0
for name, function in (("gammainc", gammainc), ("gammaincc", gammaincc)):
    print(
        f"the gradient of {name}(2.5, x) at 1e250: got",
        slope(lambda x, f=function: f(2.5, x))(1e250),
        "exactly 0",
    )
# x^9 overflows in float16, the gradient does not
print(
    "the gradient of gammainc(10, x) at 5 in float16: got",
    slope(lambda x: gammainc(10.0, x))(np.array(5, "float16")),
    "exactly 0.0363",
)
# SciPy's iv(2, x) is NaN at the least number
for x in (5e-324, 1e-310):
    print("the gradient of i1 at", x, "got", slope(i1)(x), "exactly 0.5")
for name, function in (("j0", j0), ("j1", j1)):
    print(name, "at infinity: got", function(np.inf), "where the limit is 0")
print("multigammaln of float32 has", multigammaln(np.float32(1.5), 1).dtype)
# SciPy's values: 1 - erf 1 is gammaincc(1/2, 1)
print("gammaincc(0.5, 1): got", gammaincc(0.5, 1.0), "exactly 0.15729920705028513")
