"""How the reference engine's calls are written in scripts."""

from __future__ import annotations

from conformance.dialect import Dialect

TAPE = Dialect(
    imports="import numpy as np\nfrom conformance.ops import ALL_OPS\n"
    "from conformance_backends.numpy_engine import (\n    Tensor, anomaly, apply, bernoulli, branch, checkpoint, custom, custom_by_operand, custom_forward, dropout, grad, gradients, hessian, hook, jacobian, jacobian_by_columns, jvp, needs_gradient, no_grad, scan, value_and_grad, vjp, while_loop,\n)",
    array="Tensor(np.array({values}, '{dtype}'))",
    leaf="Tensor(np.array({values}, '{dtype}'), requires_grad=True)",
    backward="{output}.backward()",
    backward_with="{output}.backward({cotangent})",
    grad="{leaf}.grad",
    clear="{leaf}.grad = None",
    detach="{value}.detach()",
    no_grad="no_grad()",
    custom="{name} = custom(lambda {operands}: {value}, lambda g, {operands}: {cotangents})",
    call="apply(ALL_OPS[{name!r}], ({operands},), {parameters})",
    further={
        "custom_by_operand": "{name} = custom_by_operand(\n    lambda {operands}: {value},\n"
        "    lambda i, gs, xs, zs: (lambda {operands}: {cotangents})(*xs)[i],\n)",
        "custom_forward": "{name} = custom_forward(\n    lambda {operands}: {value},\n"
        "    lambda xs, ts: (lambda {operands}: {cotangents})(*xs),\n)",
        "memory": "{array}.value",
        "needs_gradient": "needs_gradient({leaf}, {flag})",
        "nested_vjp": "{out} = vjp({function}, {operands})[1]({cotangents})",
        "jvp": "{out}, {pushed} = jvp({function}, ({operands},), ({tangents},))",
        "checkpoint": "checkpoint({function})",
        "value_and_gradient": "{value}, {gradients} = value_and_grad({function}, {wrt})({operands})",
        "value_and_auxiliary": "({value}, {auxiliary}), {gradients} = value_and_grad({function}, {wrt}, has_aux=True)({operands})",
        "scan": "scan({step}, {carry}, {items})",
        "while_loop": "while_loop({condition}, {step}, {carry})",
        "branch": "branch({condition}, {then}, {otherwise}, ({operands},))",
        "rows": "jacobian({function}, {operands})",
        "columns": "jacobian_by_columns({function}, {operands})",
        "hessian": "(hessian({function}, {operands}),)",
        "gradients_within": "gradients_within({function}, [{operands}], [{cotangents}])",
        "structured_gradient": "grad({function})({structure})[0]",
        "noise": "bernoulli({array})",
        "dropout": "dropout({array}, {rate})",
        "hook": "hook({array}, {seen})",
        "anomaly": "anomaly()",
        "assign": "{array}[{index}] = {value}",
    },
)
