"""MyGrad: ties that share nothing, a slope outside those beside it, and NaN where slopes are finite."""

import warnings

import mygrad as mg

warnings.simplefilter("ignore")


def show(name, function, operands, exact):
    """Print the gradient of a call beside the exact one."""
    leaves = [mg.tensor(x) for x in operands]
    function(*leaves).backward()
    print(f"{name}: got {[x.grad.tolist() for x in leaves]}, exact {exact}")


# max(x, x) = x has slope 1: the two weights sum to 1
show("maximum(1, 1)", mg.maximum, (1.0, 1.0), "[a, 1 - a]")
show("minimum(1, 1)", mg.minimum, (1.0, 1.0), "[a, 1 - a]")
show("clip(1, 1, 2)", mg.clip, (1.0, 1.0, 2.0), "[a, 1 - a, 0]")
# the slopes beside 0 are 0.25 and 1
show("leaky_relu(0)", lambda x: mg.nnet.leaky_relu(x, 0.25), (0.0,), "any a from 0.25 to 1")
# no slope of a norm, or of a deviation, is larger than 1
show("norm at [0, 0]", mg.linalg.norm, ([0.0, 0.0],), "any [a, b] with a^2 + b^2 <= 1")
show("std of [2, 2]", mg.std, ([2.0, 2.0],), "any [a, -a] with |a| <= 1/2")
show("std of [3]", mg.std, ([3.0],), [[0]])
# x / |x|
show("norm at [3e200, 4e200]", mg.linalg.norm, ([3e200, 4e200],), [[0.6, 0.8]])
show("norm at [3e-200, 4e-200]", mg.linalg.norm, ([3e-200, 4e-200],), [[0.6, 0.8]])
# (x dy - y dx) / (x^2 + y^2)
show("arctan2(1e-200, 1e-200)", mg.arctan2, (1e-200, 1e-200), [5e199, -5e199])
