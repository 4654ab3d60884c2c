"""MyGrad: gradients that are small and not zero are rounded to zero, by formulas that lose them."""

import math

import mygrad as mg
import numpy as np
from mygrad.nnet.activations import elu

HUGE = 2.0**960


def slope(f, x):
    """The stored gradient."""
    a = mg.tensor(x)
    f(a).backward()
    return a.grad.item()


print("MyGrad", mg.__version__)
with np.errstate(all="ignore"):
    print("x/y by y at x = y = 2^960: got", slope(lambda y: HUGE / y, HUGE), "expected", -1 / HUGE)
    print("arcsinh at 2^960: got", slope(mg.arcsinh, HUGE), "expected", 1 / HUGE)
    print("arccosh at 2^960: got", slope(mg.arccosh, HUGE), "expected", 1 / HUGE)
    print("elu at -40: got", slope(lambda x: elu(x, 1.0), -40.0), "expected", math.exp(-40))
    far = 3 * 2.0**49  # the quotient's rule is a difference of two numbers that agree but for rounding
    print("softsign far out: got", slope(mg.nnet.soft_sign, far), "expected", (1 + far) ** -2)
