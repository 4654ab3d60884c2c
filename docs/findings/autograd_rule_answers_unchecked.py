"""autograd: a rule that returns a cotangent or a tangent too many, or one of another shape, is not refused."""

import importlib.metadata

import autograd.numpy as np
from autograd import make_jvp, make_vjp
from autograd.extend import defjvp, defvjp, defvjp_argnums, primitive

print("autograd", importlib.metadata.version("autograd"))


@primitive
def add(a, b):
    """The sum."""
    return a + b


defvjp_argnums(add, lambda argnums, ans, args, kwargs: lambda g: (g, g, g))
pullback, _ = make_vjp(add, (0, 1))(np.ones(3), np.ones(3))
print("three cotangents for two operands:", pullback(np.ones(3)))


@primitive
def scaled(a, b):
    """a times a constant b that is one."""
    return a + a


defvjp(scaled, lambda ans, a, b: lambda g: 2 * g * b, argnums=(0,))
pullback, _ = make_vjp(lambda a: scaled(a, np.ones((1, 3))))(np.ones(3))
print("an operand of shape (3,) gets a gradient of shape", pullback(np.ones(3)).shape)


@primitive
def double(a):
    """Twice a."""
    return 2 * a


defvjp(double, lambda ans, a: lambda g: 2 * g.T)
pullback, _ = make_vjp(double)(np.ones((2, 3)))
print("an operand of shape (2, 3) gets a gradient of shape", pullback(np.ones((2, 3))).shape)


@primitive
def plus_itself(a):
    """Twice a."""
    return a + a


defvjp(plus_itself, lambda ans, a: lambda g: g.T @ a)
pullback, _ = make_vjp(plus_itself)(np.ones((3, 1)))
print("an operand of shape (3, 1) gets a gradient of shape", pullback(np.ones((3, 1))).shape)


@primitive
def once_more(a):
    """Twice a."""
    return a + a


defjvp(once_more, lambda t, ans, a: t[:1])
output, tangent = make_jvp(once_more)(np.ones(3))(np.ones(3))
print("an output of shape", output.shape, "gets a tangent of shape", tangent.shape)
