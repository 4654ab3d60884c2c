"""autograd: the gradient of x**n by x is computed as n * x at n = 0, so that its derivative by n is x instead of 1/x."""

import importlib.metadata

from autograd import grad

print("autograd", importlib.metadata.version("autograd"))
mixed = grad(grad(lambda x, n: x**n, 0), 1)
for exponent in (1e-9, 0.0):
    print(f"at n = {exponent}: d/dn d/dx 2ⁿ = {mixed(2.0, exponent):.6f}; expected about 0.5")
