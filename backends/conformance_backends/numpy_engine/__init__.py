"""The reference engine: reverse-mode automatic differentiation in plain NumPy, short enough to read.

    >>> import numpy as np
    >>> from conformance_backends.numpy_engine import Tensor
    >>> x = Tensor([1.0, 2.0], requires_grad=True)
    >>> y = np.sum(x * x)
    >>> y.backward()
    >>> x.grad
    array([2., 4.])

Read it in this order: `graph` (nodes, edges and the backward pass), `tensor` (how a call of
a NumPy function is recorded), `transforms` (gradients as functions of functions),
`intermediates` (gradients by results on the way), `custom` (custom rules), `control_flow` (loops and branches), `drawing` (random numbers), `freezing` (leaves that need no gradient for a while), `observing` (hooks, and which op made a NaN), `structures` (lists and
dicts of arrays). The derivative rules themselves are the rows of `conformance.ops`.
"""

from conformance_backends.numpy_engine.control_flow import branch, scan, while_loop
from conformance_backends.numpy_engine.custom import custom, custom_by_operand, custom_forward
from conformance_backends.numpy_engine.drawing import bernoulli, dropout
from conformance_backends.numpy_engine.freezing import needs_gradient
from conformance_backends.numpy_engine.graph import Accumulation, Node, no_grad
from conformance_backends.numpy_engine.intermediates import gradients
from conformance_backends.numpy_engine.observing import anomaly, hook
from conformance_backends.numpy_engine.tensor import Tensor, apply, detach
from conformance_backends.numpy_engine.transforms import (
    checkpoint,
    grad,
    hessian,
    jacobian,
    jacobian_by_columns,
    jvp,
    value_and_grad,
    vjp,
)

__all__ = [
    "Accumulation",
    "Node",
    "Tensor",
    "anomaly",
    "apply",
    "bernoulli",
    "branch",
    "checkpoint",
    "custom",
    "custom_by_operand",
    "custom_forward",
    "detach",
    "dropout",
    "grad",
    "gradients",
    "hessian",
    "hook",
    "jacobian",
    "jacobian_by_columns",
    "jvp",
    "needs_gradient",
    "no_grad",
    "scan",
    "value_and_grad",
    "vjp",
    "while_loop",
]
