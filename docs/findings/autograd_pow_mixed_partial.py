"""autograd: the mixed second derivative of x ** y is x at y = 0, where it is 1 / x: the rule masks its exponent y - 1."""

import importlib.metadata
import math

from autograd import grad

print("autograd", importlib.metadata.version("autograd"))
for exponent in (0.0, 1e-9, 1.0):
    mixed = grad(lambda y: grad(lambda x: x**y)(2.5))(exponent)
    exact = 2.5 ** (exponent - 1) * (1 + exponent * math.log(2.5))
    print(f"y = {exponent}: d²(x**y)/dxdy = {mixed}, exactly {exact}")
