"""jax: scipy.special.betaln sorts its operands by minimum and maximum; its second derivative where they are equal is wrong."""

import jax
from jax.scipy.special import betaln, polygamma

jax.config.update("jax_enable_x64", True)
print("jax", jax.__version__)


def f(a):
    """The function of one operand, the other being 2."""
    return betaln(a, 2.0)


for x in (2.0, 2.0000001):
    print(f"at {x}: {jax.grad(jax.grad(f))(x):.7f}, not {polygamma(1, x) - polygamma(1, x + 2.0):.7f}")
