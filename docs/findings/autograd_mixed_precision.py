"""autograd: beside a constant of another precision, the gradient of a float32 operand is float64; of both, each has its own dtype."""

import importlib.metadata

import autograd.builtins
import autograd.numpy as np
import autograd.scipy.special
from autograd import make_vjp

print("autograd", importlib.metadata.version("autograd"))
x, y = np.ones(3, np.float32), np.ones(3)
pullback, _ = make_vjp(lambda a: a + y)(x)
print("x float32, y a float64 constant: the gradient of x + y is", pullback(np.ones(3)).dtype)
pullback, _ = make_vjp(lambda both: both[0] + both[1])(autograd.builtins.tuple((x, y)))
print("both differentiated:", [g.dtype.name for g in pullback(np.ones(3))])
for name, function in (
    ("maximum", np.maximum),
    ("minimum", np.minimum),
    ("fmax", np.fmax),
    ("fmin", np.fmin),
):
    pullback, _ = make_vjp(lambda a, f=function: f(a, np.zeros(3, np.float32)))(x)
    print(f"x and a constant float32: the gradient of {name} is", pullback(np.ones(3, np.float32)).dtype)
half = np.ones(3, np.float16)
for name, function in (
    ("betaln", autograd.scipy.special.betaln),
    ("irfft, the constant imaginary,", lambda a, b: np.fft.irfft(a + 1j * b)),
    ("linspace", lambda a, b: np.linspace(a, b, 4)),
):
    pullback, z = make_vjp(lambda a, f=function: f(a, half))(x)
    print(f"x float32, a constant float16: the gradient of {name} is", pullback(np.ones_like(z)).dtype)
