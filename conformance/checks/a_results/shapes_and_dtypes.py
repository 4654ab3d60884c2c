"""What a gradient call returns: its shape (A6), its dtype (A7), the value beside it (A12), and that value's dtype (A23)."""

from __future__ import annotations

from functools import partial
from itertools import product
from typing import Any

import numpy as np

from conformance.backend import Backend, Capability, Function
from conformance.case import Array
from conformance.checks.comparison import Comparison, decides, hold_all_within, hold_equal
from conformance.checks.engine_calls import beside, gradients_of, require_offered, unless_refused
from conformance.checks.observation import Observation, plain
from conformance.checks.registry import FULL, NotThisCase, contract, op_check
from conformance.checks.sample import Sample
from conformance.dtype import HALF, finfo, is_inexact
from conformance.errors import Unsupported, Violation
from conformance.op import Op
from conformance.ops import family_of
from conformance.ops.names import ADD, MATMUL, MULTIPLY
from conformance.oracle.allowance import expected_values

SPECTRA = "spectra"
OTHER = {"float64": "float32", "float32": "float64", **dict.fromkeys(HALF, "float32")}


@op_check("A6", "shape", is_about_form=True)
def gradient_has_operand_shape(seen: Observation) -> None:
    """A gradient has its operand's shape, also at operands of zeros, for which rules have ways of their own."""
    for got in seen.answer.gradients:  # an observation refuses a gradient of another shape
        decides(got is not None and got.size)
    if seen.case.dtype == seen.backend.dtypes[0] and not seen.backend.compiles_signatures:
        zeros = [np.zeros_like(x) if i in seen.wrt else np.array(x) for i, x in enumerate(seen.case.operands)]
        try:
            seen.vjp(operands=zeros)
        except Violation:
            raise
        except Exception:  # there may be no value at zeros, or no gradient
            return


@op_check("A7", "dtype", is_about_form=True)
def gradient_has_operand_dtype(seen: Observation) -> None:
    """A gradient has its operand's dtype."""
    for position, got in enumerate(seen.answer.gradients):
        if got is not None:
            hold_dtype(seen, position, got, seen.case.operands[seen.wrt[position]].dtype)


def hold_dtype(seen: Observation, position: int, got: Array, dtype: np.dtype[Any], where: str = "") -> None:
    """Claim that the gradient at `position` has this dtype."""
    decides(got.size)
    if got.dtype != dtype:
        raise Violation(f"{seen.label(position)} has dtype {got.dtype}, its operand {dtype}{where}")


def _has_several_differentiable_operands(op: Op) -> bool:
    return sum(domain.is_differentiable for domain in op.domains) > 1


@op_check(
    "A7", "mixed-dtype", applies=_has_several_differentiable_operands, compiles=True, is_about_form=True
)
def gradient_has_operand_dtype_in_mixed_calls(seen: Observation) -> None:
    """In a call that mixes precisions each gradient has its own operand's dtype."""
    other = _other_precision(seen)
    operands = [np.array(x) for x in seen.case.operands]
    first = seen.wrt[0]
    operands[first] = operands[first].astype(other)
    function = seen.backend.call(seen.op.name, seen.case.parameters)
    outputs = unless_refused(lambda: seen.backend.forward(function, operands), seen.backend)
    if outputs is None:
        raise NotThisCase("the engine refuses operands of different precision")
    dtypes = [plain(seen.backend, z).dtype for z in outputs]
    answer = seen.vjp(
        operands=operands, cotangents=[g.astype(d) for g, d in zip(seen.case.cotangents, dtypes, strict=True)]
    )
    for position, got in enumerate(answer.gradients):
        if got is not None:
            hold_dtype(seen, position, got, operands[seen.wrt[position]].dtype, ", in a mixed call")


def _other_precision(seen: Observation) -> str:
    """The precision of one operand of a mixed call; Unsupported where the engine has gradients in the case's alone."""
    other = OTHER[seen.case.dtype]
    if other not in seen.backend.dtypes:
        raise Unsupported(f"{seen.backend.engine} declares no gradients in {other}")
    return other


@op_check(
    *("A7", "mixed-value"),
    applies=_has_several_differentiable_operands,
    once_per_signature=True,
    compiles=True,
    dtypes=HALF | {"float32"},
    sparing_in=HALF,
)
def value_and_gradient_are_right_in_mixed_calls(seen: Observation) -> list[Comparison]:
    """In a call that mixes precisions the value and each gradient are as accurate as in the coarser one, whichever operand has it."""
    other = _other_precision(seen)
    function = seen.backend.call(seen.op.name, seen.case.parameters)
    values = expected_values(seen.op, seen.case, perturbations=seen.perturbations)
    compared: list[Comparison] = []
    for finer in seen.wrt:
        operands = [np.array(x) for x in seen.case.operands]
        operands[finer] = operands[finer].astype(other)
        outputs = unless_refused(partial(seen.backend.forward, function, operands), seen.backend)
        if outputs is None:
            raise NotThisCase("the engine refuses operands of different precision")
        dtypes = [plain(seen.backend, z).dtype for z in outputs]
        cotangents = [g.astype(d) for g, d in zip(seen.case.cotangents, dtypes, strict=True)]
        answer = seen.vjp(operands=operands, cotangents=cotangents)
        where = f"where operand {finer} is {other},"
        compared += hold_all_within(
            (
                (plain(seen.backend, z), value, f"the value, {where}")
                for z, value in zip(outputs, values, strict=True)
            ),
            claim="differs from the reference value",
        )
        for k, got in enumerate(answer.gradients):
            if got is not None:
                hold_dtype(seen, k, got, operands[seen.wrt[k]].dtype, f", {where[:-1]}")
        compared += hold_all_within(
            (got, expected, f"{seen.label(k)}, {where}")
            for k, (got, expected) in enumerate(zip(answer.gradients, seen.expected, strict=True))
        )
    return compared


@op_check("A12", "value-along")
def value_along_equals_plain_value(seen: Observation) -> None:
    """The value computed along with a gradient equals the plain forward value bit for bit."""
    for along, alone in zip(seen.answer.outputs, seen.forward(), strict=True):
        hold_equal(along, alone, "the value along with a gradient differs from the plain value")


# In double precision a narrower value is a wrong one (`op/value`), and engines have no wider one.
@op_check("A23", "value-dtype", dtypes=HALF | {"float32"}, sparing_in=HALF, is_about_form=True)
def value_has_the_precision_of_its_operands(seen: Observation) -> None:
    """Where all operands are of one precision, so is the value, unless a parameter names its dtype."""
    if "dtype" in seen.case.parameters:
        raise NotThisCase("a parameter names the dtype of the value")
    (precision,) = {finfo(x.dtype).dtype for x in seen.case.operands if is_inexact(x.dtype)}
    if precision.name in HALF and family_of(seen.op) == SPECTRA:
        raise NotThisCase("there are no complex numbers in half precision")
    require_offered(seen)
    for value in seen.answer.outputs:
        if is_inexact(value.dtype):
            decides(value.size)
            if finfo(value.dtype).dtype != precision:
                raise Violation(f"a value of {value.dtype}, of operands of {precision}")


@contract("A7", "every-precision")
def gradient_has_the_precision_of_its_leaf(engine: Backend, sample: Sample) -> None:
    """The gradient of a leaf has the leaf's dtype in every precision that the engine has: of a number, a vector, an empty matrix, and where the leaf is the output."""
    multiply = engine.op(MULTIPLY)
    functions = {"x * x": lambda a: multiply(a, a), "x, which is its own output": lambda a: a}
    for dtype, shape, (words, function) in product(engine.dtypes, ((), (3,), (0, 2)), functions.items()):
        x, g = (np.asarray(sample.array(shape), dtype) for _ in range(2))
        (got,) = gradients_of(engine, function, [x], g)
        if got is not None and got.dtype != x.dtype:
            raise Violation(
                f"the gradient of {words}, of shape {shape}, has dtype {got.dtype}, its operand {dtype}"
            )
        hold_equal(
            got, g * (x + x) if "*" in words else g, f"the gradient of {words} in {dtype}, of shape {shape}"
        )


@contract("A23", "number")
def number_beside_an_operand_has_no_precision(engine: Backend, sample: Sample) -> None:
    """Beside a number of the language an operand of any precision keeps it, in the value and in its gradient, a 0-d one too."""
    decided = 0
    for dtype, shape in product(engine.dtypes, (sample.shape, ())):
        x, g = (np.asarray(sample.array(shape)).astype(dtype) for _ in range(2))
        for name, number, place in product((ADD, MULTIPLY), (2, 0.5), (0, 1)):
            if name not in engine.ops:
                continue
            function = partial(beside, engine.op(name), number, place)
            found = unless_refused(partial(engine.vjp, function, [np.array(x)], [np.array(g)]), engine)
            if found is None:
                continue  # the engine takes no number there
            (output,), (gradient,) = found
            operand = f"an operand of shape {shape}"
            words = f"{name} of {number} and {operand}" if place else f"{name} of {operand} and {number}"
            slope = None if gradient is None else plain(engine, gradient)
            for got, what in ((plain(engine, output), "value"), (slope, "gradient")):
                if got is not None and got.dtype != x.dtype:
                    raise Violation(
                        f"the {what} of {words}, a number without precision, has dtype {got.dtype}, its operand {dtype}"
                    )
            right = g * np.asarray(number, dtype) if name == MULTIPLY else g
            hold_equal(slope, right, f"the gradient of {words} in {dtype}")
            decided += 1
    if not decided:
        raise NotThisCase(f"the engine takes no number in {ADD} and {MULTIPLY}")


@contract("A7", "second-order", Capability.HIGHER_ORDER)
def gradient_of_mixed_precisions_is_differentiated(engine: Backend, sample: Sample) -> None:
    """The gradient of a product of operands of two precisions is differentiated by the other operand, in its dtype."""
    if not set(FULL) <= set(engine.dtypes):
        raise Unsupported(f"{engine.engine} has gradients in one precision only")
    decided = 0
    for (name, shape), narrow, i in product(
        ((MULTIPLY, (2, 2)), (MATMUL, (2, 2)), (MULTIPLY, ())), (0, 1), (0, 1)
    ):
        x, y, g, u = (sample.array(shape).astype(np.float64) for _ in range(4))
        operands = [a.astype(np.float32 if k == narrow else np.float64) for k, a in enumerate((x, y))]
        along = u.astype(operands[i].dtype)
        op = engine.op(name)

        def first(*xs: Any, op: Function = op, i: int = i, g: Array = g) -> Any:
            return engine.nested_vjp(op, xs, [engine.array(np.array(g))])[i]

        if unless_refused(partial(gradients_of, engine, op, operands, g)) is None:
            continue  # the engine refuses to mix precisions
        outputs, _ = engine.vjp(first, [np.array(a) for a in operands], [np.array(along)])
        of_first = g * (x, y)[1 - i] if name == MULTIPLY else g @ y.T if i == 0 else x.T @ g
        as_value = f"the gradient, as a value, of operand {i} of {name} of shape {shape}, operand {narrow} in float32"
        value = plain(engine, outputs[0])
        hold_equal(value, of_first.astype(operands[i].dtype), as_value)
        if value.dtype != operands[i].dtype:
            raise Violation(f"{as_value} has dtype {value.dtype}")
        got = gradients_of(engine, first, operands, along)[1 - i]
        right = g * u if name == MULTIPLY else u.T @ g if i == 0 else g @ u.T
        what = (
            f"the gradient of operand {i} of {name} of shape {shape}, differentiated by the other, "
            f"operand {narrow} in float32"
        )
        hold_equal(got, right.astype(operands[1 - i].dtype), what)
        decided += 1
    if not decided:
        raise NotThisCase("the engine refuses to mix precisions")
