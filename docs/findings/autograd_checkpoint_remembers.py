"""autograd: a checkpointed function is computed twice in the forward pass and never in the backward pass: everything is stored."""

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
print("calls in the forward pass:", len(calls))
pullback(np.ones(2))
print("calls after the backward pass:", len(calls), "(the last one should be in the backward pass)")
