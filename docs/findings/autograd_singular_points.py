"""autograd: NaN, an exception or weights that sum to two where the gradient has a limit or finite slopes."""

import warnings

import autograd.numpy as np
from autograd import grad
from autograd.scipy.special import logsumexp

warnings.simplefilter("ignore")


def show(name, function, x, exact):
    """Print the gradient of a call beside the exact one."""
    try:
        got = grad(function)(x)
    except Exception as error:
        got = f"{type(error).__name__}: {error}"
    print(f"{name}: got {got}, exact {exact}")


# no slope of a norm, or of a deviation, is larger than 1
show("norm at [0, 0]", np.linalg.norm, np.zeros(2), "any [a, b] with a^2 + b^2 <= 1")
show("std of [2, 2]", np.std, np.array([2.0, 2.0]), "any [a, -a] with |a| <= 1/2")
show("hypot(x, 0) at 0", lambda x: np.hypot(x, 0.0), 0.0, "any a with |a| <= 1")
# sinc is even
show("sinc at 0", np.sinc, 0.0, 0)
# the slope of a product is the product of the others
show("prod of [2, 0, 3]", np.prod, np.array([2.0, 0.0, 3.0]), "[0 6 0]")
show(
    "the sum of prod's gradient at [2, 0, 3]",
    lambda x: np.sum(grad(np.prod)(x)),
    np.array([2.0, 0.0, 3.0]),
    "[3 5 2]",
)
# the gradient of ad - bc is [[d, -c], [-b, a]]
show("det of [[1, 2], [2, 4]]", np.linalg.det, np.array([[1.0, 2.0], [2.0, 4.0]]), "[[4 -2] [-2 1]]")
# (x dy - y dx) / (x^2 + y^2)
show("arctan2(y, 1e-200) at 1e-200", lambda y: np.arctan2(y, 1e-200), 1e-200, 5e199)
# x / |x|
show("norm at [3e200, 4e200]", np.linalg.norm, np.array([3e200, 4e200]), "[0.6 0.8]")
show("norm at [3e-200, 4e-200]", np.linalg.norm, np.array([3e-200, 4e-200]), "[0.6 0.8]")
# equal operands share equally, large ones too
for size in (2.0, 1e17):
    show(f"logaddexp(x, {size:g}) at {size:g}", lambda x, y=size: np.logaddexp(x, y), size, 0.5)
    show(f"logaddexp2(x, {size:g}) at {size:g}", lambda x, y=size: np.logaddexp2(x, y), size, 0.5)
    show(f"logsumexp of {size:g} twice", logsumexp, np.array([size, size]), "[0.5 0.5]")
show("logaddexp2(x, 1e9) at 1e9 + 1", lambda x: np.logaddexp2(x, 1e9), 1e9 + 1, 2 / 3)
show(
    "norm of order 1 at [0, 2]", lambda x: np.linalg.norm(x, 1), np.array([0.0, 2.0]), "[a, 1] with |a| <= 1"
)
for order in (np.inf, -np.inf):
    show(
        f"norm of order {order} at [2, 2]",
        lambda x, n=order: np.linalg.norm(x, n),
        np.full(2, 2.0),
        "[a, 1 - a]",
    )
