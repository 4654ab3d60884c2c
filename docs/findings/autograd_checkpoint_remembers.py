"""autograd: a checkpointed function is computed twice on the way forward, never on the way back: it is all remembered."""

import autograd.numpy as np
from autograd import checkpoint
from autograd.core import make_vjp

calls = []


@checkpoint
def square(x):
    """Counts how often it is computed."""
    calls.append(x)
    return x * x


pullback, value = make_vjp(square, np.array([1.0, 2.0]))
print("computed on the way forward:", len(calls))
pullback(np.ones(2))
print("computed by the end of the way back:", len(calls), "(the last one should be on the way back)")
