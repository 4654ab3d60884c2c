"""jax: special functions whose gradients are wrong at 0, lose digits in a tail or are NaN at small operands; against mpmath."""

import jax
import jax.numpy as jnp
import mpmath
from jax.scipy import special

jax.config.update("jax_enable_x64", True)
mpmath.mp.prec = 200
print("jax", jax.__version__)
# i0 is e^|x| times its scaled form, and the slope of |x| at 0 is 1
print("the gradient of i0 at 0: got", jax.grad(special.i0)(0.0), "exactly 0")
print("the second derivative of i1 at 0: got", jax.grad(jax.grad(special.i1))(0.0), "exactly 0")
# the exponential overflows first
for name, function in (("i0", special.i0), ("i1", special.i1)):
    got = function(jnp.float32(89.5)), jax.grad(function)(jnp.float32(89.5))
    print(f"{name} and its gradient at 89.5 in float32: got", *got, "exactly 3.1e37, both")
# exp(-x^2/2 - log_ndtr(x)), in which two large numbers cancel
for dtype, x in ((jnp.float32, -1000.0), (jnp.float64, -14.625), (jnp.float64, -1e8)):
    u = -mpmath.mpf(x) / mpmath.sqrt(2)
    near = u < 1e3  # far out the slope is that of -x^2/2, and 1/x more
    slope = (
        mpmath.sqrt(2 / mpmath.pi) * mpmath.exp(-(u**2)) / mpmath.erfc(u) if near else -x - 1 / mpmath.mpf(x)
    )
    print(
        "the gradient of log_ndtr at", x, "got", jax.grad(special.log_ndtr)(dtype(x)), "exactly", float(slope)
    )
# betaln loses digits, and NaN comes of small operands
for a, b in ((5.0, 0.5), (0.375, 2.0), (1e-114, 1e-114)):
    slope = mpmath.digamma(mpmath.mpf(a)) - mpmath.digamma(mpmath.mpf(a) + b)
    print(
        f"the gradient of betaln in a at {a, b}: got", jax.grad(special.betaln)(a, b), "exactly", float(slope)
    )
    print("    its value: got", special.betaln(a, b), "exactly", float(mpmath.log(mpmath.beta(a, b))))
# the upper incomplete gamma function
exact = mpmath.gammainc(0.5, 1, mpmath.inf, regularized=True)
print("gammaincc(0.5, 1): got", special.gammaincc(0.5, 1.0), "exactly", float(exact))
print("the second derivative of i1 at 2e-84: got", jax.grad(jax.grad(special.i1))(2e-84), "exactly", 0.75e-84)
