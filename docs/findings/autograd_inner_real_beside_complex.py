"""autograd: inner() of a real and a complex operand is computed, and its pullback raises, or gives the real one a complex gradient."""

import importlib.metadata
import warnings

import autograd.numpy as np
from autograd import make_vjp

print("autograd", importlib.metadata.version("autograd"))
warnings.simplefilter("ignore")  # dot discards imaginary parts on purpose
a, b, g = np.ones((2, 3)), np.array([1.0 + 1.0j, 2.0, 3.0]), np.ones(2) + 0.0j
for name in ("dot", "inner"):
    product = getattr(np, name)
    pullback, _ = make_vjp(lambda x, product=product: product(x, b))(a)
    print(f"{name}: the gradient of a real operand beside a complex constant:", pullback(g).dtype)
    pullback, _ = make_vjp(lambda operands, product=product: product(*operands))((a, b))
    try:
        print(f"{name}: both gradients:", [x.dtype.name for x in pullback(g)])
    except TypeError as error:
        print(f"{name}: both gradients: {type(error).__name__}: {error}")
