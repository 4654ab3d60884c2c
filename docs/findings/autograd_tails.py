"""autograd: gradients that are small and not zero are rounded to zero, by formulas that lose them."""

import math

import autograd.numpy as np
from autograd import grad

HUGE = np.array(2.0**960)
with np.errstate(all="ignore"):
    print("x/y by y at x = y = 2^960: got", grad(lambda y: HUGE / y)(HUGE), "expected", -1 / HUGE)
    print("arcsinh at 2^960: got", grad(np.arcsinh)(HUGE), "expected", 1 / HUGE)
    print("arccosh at 2^960: got", grad(np.arccosh)(HUGE), "expected", 1 / HUGE)
    print("expm1 at -40: got", grad(np.expm1)(-40.0), "expected", math.exp(-40))
