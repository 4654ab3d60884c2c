"""How torch's calls are written in scripts: on its tape, or through torch.func."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from conformance.dialect import Dialect

IMPORTS = """\
import functools
import numpy as np
import torch
import torch.autograd.forward_ad as fwAD
import torch.nn.functional as F
from torch.utils.checkpoint import checkpoint"""
CUSTOM_RULE = """\
class {name}(torch.autograd.Function):
    @staticmethod
    def forward({operands}):
        return {value}
    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)
    @staticmethod
    def backward(ctx, g):
        {operands}, = ctx.saved_tensors
        return {cotangents}
{name} = {name}.apply"""
JACOBIANS_OF_TAPE = {
    "rows": "torch.autograd.functional.jacobian({function}, ({operands},))",
    "columns": "torch.autograd.functional.jacobian(\n    {function}, ({operands},), strategy='forward-mode', vectorize=True)",
    "hessian": "(torch.autograd.functional.hessian({function}, {operands}),)",
}
JACOBIANS_OF_FUNC = {
    "rows": "torch.func.jacrev({function}, argnums=tuple(range(len([{operands}]))))({operands})",
    "columns": "torch.func.jacfwd({function}, argnums=tuple(range(len([{operands}]))))({operands})",
    "hessian": "(torch.func.hessian({function})({operands}),)",
}
RULE_BY_OPERAND = """\
class {name}(torch.autograd.Function):
    @staticmethod
    def forward({operands}):
        return {value}
    @staticmethod
    def setup_context(ctx, inputs, output):
        zs = output if isinstance(output, tuple) else (output,)
        ctx.save_for_backward(*inputs, *zs)
    @staticmethod
    def backward(ctx, *gs):
        {operands}, *zs = ctx.saved_tensors
        return tuple(g if is_needed else None for g, is_needed in zip({cotangents}, ctx.needs_input_grad))
{name} = {name}.apply"""
FORWARD_RULE = """\
class {name}(torch.autograd.Function):
    @staticmethod
    def forward({operands}):
        return {value}
    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_forward(*inputs)
    @staticmethod
    def jvp(ctx, *ts):
        {operands}, = ctx.saved_tensors
        return {cotangents}
{name} = {name}.apply"""

MEMORY = {"memory": "{array}.detach().numpy()"}  # a leaf itself refuses writes, and torch would see them

_written = partial(
    Dialect,
    array="torch.tensor({values}, dtype=torch.{dtype})",
    detach="{value}.detach()",
    no_grad="torch.no_grad()",
    custom=CUSTOM_RULE,
)

TAPE = _written(
    imports=IMPORTS,
    leaf="{array}.requires_grad_()",
    backward="{output}.backward()",
    backward_with="{output}.backward({cotangent})",
    backward_retaining="{output}.backward({cotangent}, retain_graph=True)",
    grad="{leaf}.grad",
    clear="{leaf}.grad = None",
    further={
        "custom_by_operand": RULE_BY_OPERAND,
        "custom_forward": FORWARD_RULE,
        "nested_vjp": "{out} = recorded_gradients({function}, [{operands}], [{cotangents}])",
        "gradients_within": "gradients_within({function}, [{operands}], [{cotangents}])",
        "jvp": "{out}, {pushed} = pushed_along({function}, [{operands}], [{tangents}])",
        "vectorized": "torch.vmap({function})",
        "noise": "torch.bernoulli(torch.full_like({array}, 0.5))",
        "dropout": "torch.nn.functional.dropout({array}, {rate})",
        "checkpoint": "functools.partial(checkpoint, {function}, use_reentrant=False)",
        "needs_gradient": "{leaf}.requires_grad_({flag})",
        "branch": "torch.cond({condition}, {then}, {otherwise}, ({operands},))",
        **JACOBIANS_OF_TAPE,
        "hook": "{array}.register_hook({seen}).remove",
        "anomaly": "torch.autograd.set_detect_anomaly(True)",
        "assign": "{array}[{index}] = {value}",
        **MEMORY,
    },
)

FUNC = _written(
    imports=IMPORTS,
    pullback="{out}, {pullback} = torch.func.vjp({function}, {operands})",
    gradient="torch.func.grad({function}, argnums={argnums})({operands})",
    further={
        "custom_by_operand": RULE_BY_OPERAND,
        "custom_forward": FORWARD_RULE,
        "nested_vjp": "{out} = torch.func.vjp({function}, {operands})[1]({cotangent})",
        "jvp": "{out}, {pushed} = torch.func.jvp({function}, ({operands},), ({tangents},))",
        "vectorized": "torch.vmap({function})",
        "noise": "torch.bernoulli(torch.full_like({array}, 0.5))",
        "dropout": "torch.nn.functional.dropout({array}, {rate})",
        **JACOBIANS_OF_FUNC,
        "value_and_gradient": "{gradients}, {value} = torch.func.grad_and_value({function}, {wrt})({operands})",
        "value_and_auxiliary": "{gradients}, ({value}, {auxiliary}) = torch.func.grad_and_value({function}, {wrt}, has_aux=True)({operands})",
        "structured_gradient": "torch.func.grad({function})({structure})",
        **MEMORY,
    },
)


COMPILED = """\
import functools
import numpy as np
import torch
import torch.nn.functional as F
from torch.utils.checkpoint import checkpoint


def vjp(function, arrays):
    leaves = [x.detach().requires_grad_() for x in arrays]
    outputs = torch.compile(function{backend})(*leaves)
    return outputs, lambda g=None: torch.autograd.grad(outputs, leaves, g, allow_unused=True)"""


def compiled_with(compiler: str) -> Dialect:
    """How calls are written where functions are compiled, by the default compiler, which needs no name, or by another."""
    backend = "" if compiler == "inductor" else f", backend={compiler!r}"
    return _written(
        imports=COMPILED.format(backend=backend),
        pullback="{out}, {pullback} = vjp({function}, [{operands}])",
        gradient="vjp({function}, [{operands}])[1]()",
        further={
            "custom_by_operand": RULE_BY_OPERAND,
            "vectorized": "torch.vmap({function})",
            "noise": "torch.bernoulli(torch.full_like({array}, 0.5))",
            "dropout": "torch.nn.functional.dropout({array}, {rate})",
            "checkpoint": "functools.partial(checkpoint, {function}, use_reentrant=False)",
            "compiled": f"torch.compile({{function}}{backend})",
            **MEMORY,
        },
    )


def tape_on(device: str) -> Dialect:
    """How calls are written where every tensor is made on a device."""
    return replace(TAPE, imports=f"{IMPORTS}\n\ntorch.set_default_device({device!r})")
