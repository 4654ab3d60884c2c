"""How jax's calls are written in scripts: called eagerly, or compiled."""

from __future__ import annotations

from dataclasses import replace

from conformance.dialect import Dialect

IMPORTS = """\
import jax
import jax.numpy as jnp
import numpy as np

jax.config.update("jax_enable_x64", True)"""

CUSTOM_RULE = """\
@jax.custom_vjp
def {name}({operands}):
    return {value}
def {name}_back(operands, g):
    {operands}, = operands
    return {cotangents}
{name}.defvjp(lambda {operands}: ({value}, ({operands},)), {name}_back)"""
RULE_BY_OPERAND = """\
@jax.custom_vjp
def {name}({operands}):
    return {value}
def {name}_forward({operands}):
    z = {value}
    return z, (({operands}), z)
def {name}_back(saved, g):
    ({operands}), z = saved
    gs, zs = (g{comma}), (z{comma})
    return {cotangents}
{name}.defvjp({name}_forward, {name}_back)"""
FORWARD_RULE = """\
@jax.custom_jvp
def {name}({operands}):
    return {value}
@{name}.defjvp
def {name}_push(xs, ts):
    {operands}, = xs
    return {value}, {cotangents}"""

_EVERY = "argnums=tuple(range(len([{operands}])))"
JACOBIANS = {
    "rows": f"jax.jacrev({{function}}, {_EVERY})({{operands}})",
    "columns": f"jax.jacfwd({{function}}, {_EVERY})({{operands}})",
    "hessian": "(jax.hessian({function})({operands}),)",
}
COMPILED_JACOBIANS = {
    "rows": f"jax.jit(jax.jacrev({{function}}, {_EVERY}))({{operands}})",
    "columns": f"jax.jit(jax.jacfwd({{function}}, {_EVERY}))({{operands}})",
    "hessian": "(jax.jit(jax.hessian({function}))({operands}),)",
}

_STEP = "jax.value_and_grad({function}, argnums={wrt}%s)"
STEPS = {
    "value_and_gradient": f"{{value}}, {{gradients}} = {_STEP % ''}({{operands}})",
    "value_and_auxiliary": f"({{value}}, {{auxiliary}}), {{gradients}} = {_STEP % ', has_aux=True'}({{operands}})",
}
COMPILED_STEPS = {
    "value_and_gradient": f"{{value}}, {{gradients}} = jax.jit({_STEP % ''})({{operands}})",
    "value_and_auxiliary": f"({{value}}, {{auxiliary}}), {{gradients}} = jax.jit({_STEP % ', has_aux=True'})({{operands}})",
}

EAGER = Dialect(
    imports=IMPORTS,
    array="jnp.array({values}, dtype=jnp.{dtype})",
    pullback="{out}, {pullback} = jax.vjp({function}, {operands})",
    gradient="jax.grad({function}, argnums={argnums})({operands})",
    detach="jax.lax.stop_gradient({value})",
    custom=CUSTOM_RULE,
    further={
        "custom_by_operand": RULE_BY_OPERAND,
        "custom_forward": FORWARD_RULE,
        "nested_vjp": "{out} = jax.vjp({function}, {operands})[1]({cotangent})",
        "jvp": "{out}, {pushed} = jax.jvp({function}, ({operands},), ({tangents},))",
        "compiled": "jax.jit({function})",
        "vectorized": "jax.vmap({function})",
        "checkpoint": "jax.checkpoint({function})",
        "scan": "jax.lax.scan({step}, {carry}, {items})",
        "while_loop": "jax.lax.while_loop({condition}, {step}, {carry})",
        "branch": "jax.lax.cond({condition}, {then}, {otherwise}, {operands})",
        **JACOBIANS,
        **STEPS,
        "structured_gradient": "jax.grad({function})({structure})",
    },
)

JIT = replace(
    EAGER,
    pullback="{out}, {pullback} = jax.jit(lambda *xs: jax.vjp({function}, *xs))({operands})",
    gradient="jax.jit(jax.grad({function}, argnums={argnums}))({operands})",
    further={
        **EAGER.further,
        "jvp": "{out}, {pushed} = jax.jit(lambda xs, ts: jax.jvp({function}, xs, ts))"
        "(({operands},), ({tangents},))",
        **COMPILED_JACOBIANS,
        **COMPILED_STEPS,
        "structured_gradient": "jax.jit(jax.grad({function}))({structure})",
    },
)


def on_platform(platform: str) -> Dialect:
    """How calls are written where every array is made on the first device of a platform."""
    return replace(
        EAGER, imports=f'{IMPORTS}\njax.config.update("jax_default_device", jax.devices({platform!r})[0])'
    )
