"""The adapter to autograd: functions of NumPy's arrays, differentiated as functions."""

from __future__ import annotations

import contextlib
import importlib.metadata
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, ClassVar

import autograd.builtins
import numpy as np
from autograd import checkpoint, grad, hessian, jacobian, make_jvp, make_vjp, value_and_grad
from autograd.builtins import SequenceBox
from autograd.extend import defjvp_argnums, defvjp_argnums, primitive
from autograd.tracer import getval

from conformance.backend import Capability, Dialect, Function, FunctionalBackend, NDArray, as_tuple
from conformance.errors import Unsupported
from conformance.parameters import Lacking
from conformance_backends.autograd_ops import OPS
from conformance_backends.autograd_points import DEPARTURES
from conformance_backends.autograd_testers import TESTERS
from conformance_backends.usual_points import declared_points

IMPORTS = """\
import autograd.builtins
import autograd.numpy as np
import autograd.scipy.special
from autograd import checkpoint, grad, hessian, jacobian, make_jvp, make_vjp, value_and_grad
from autograd.extend import defjvp_argnums, defvjp_argnums, primitive
from autograd.tracer import getval"""

CUSTOM_RULE = """\
{name} = primitive(lambda {operands}: {value})
defvjp_argnums({name}, lambda argnums, ans, args, kwargs: lambda g: (lambda {operands}: {cotangents})(*args))"""
RULE_BY_OPERAND = """\
{name} = primitive(lambda {operands}: {value})
def {name}_rule(argnums, z, args, kwargs):
    {operands}, = args
    zs = (z{comma})
    def pullback(g):
        gs = (g{comma})
        cotangents = {cotangents}
        return [cotangents[i] for i in argnums]
    return pullback
defvjp_argnums({name}, {name}_rule)"""

FORWARD_RULE = """\
{name} = primitive(lambda {operands}: {value})
def {name}_push(argnums, given, z, args, kwargs):
    {operands}, = args
    ts = tuple(given[argnums.index(i)] if i in argnums else 0 * x for i, x in enumerate(args))
    return {cotangents}
defjvp_argnums({name}, {name}_push)"""


def unboxed(values: Any) -> Any:
    """Several outputs as a tuple, each of which can be differentiated; anything else as it is."""
    return tuple(values[i] for i in range(len(values))) if isinstance(getval(values), tuple) else values


@contextlib.contextmanager
def _missing_rules() -> Iterator[None]:
    """NotImplementedError of an op without a rule for tangents, raised as Unsupported."""
    try:
        yield
    except NotImplementedError as error:
        raise Unsupported(str(error)) from None


class Autograd(FunctionalBackend):
    """autograd, whose arrays are NumPy's own; in a function being differentiated they are boxed."""

    engine = "autograd"
    lacks: ClassVar[Lacking] = {"cholesky": {"upper": (True,)}}
    computes_with_numpy = True
    ops = OPS
    points = declared_points(OPS, DEPARTURES)
    dtypes = ("float64", "float32", "float16", "complex128", "complex64")
    capabilities = frozenset(
        {
            Capability.RETAINING,
            Capability.WRITABLE,
            Capability.DETACH,
            Capability.CUSTOM_RULE,
            Capability.SEVERAL_OUTPUTS,
            Capability.NEEDED_OPERANDS,
            Capability.FORWARD_RULES,
            Capability.DEEP,
            Capability.HIGHER_ORDER,
            Capability.FORWARD,
            Capability.CHECKPOINTING,
            Capability.VALUE_WITH_GRADIENT,
            Capability.STRUCTURES,
            Capability.JACOBIANS,
            Capability.COMPLEX,
        }
    )
    conventions: ClassVar[Mapping[str, str]] = {
        "A2": "refused",
        "A3": "seeded",
        "A4": "broadcast",
        "A5": "cast",
        "A13": "zeros",
        "A14": "zeros",
        "A16": "refused",
        "A18": "conjugate",
        "B3": "functional",
        "B11": "10 000 nodes",
        "C3": "shares",
        "C4": "none",
        "C5": "tolerated",
        "C6": "calls",
        "C7": "eager",
        "D4": "hazard",
        "E16": "trap",
        "E19": "zeros",
    }
    testers = TESTERS
    dialect = Dialect(
        imports=IMPORTS,
        array="np.array({values}, dtype=np.{dtype})",
        pullback="{pullback}, {out} = make_vjp(lambda xs: packed({function}(*xs)))(({operands},))",
        gradient="grad({function}, argnum={argnums})({operands})",
        detach="getval({value})",
        custom=CUSTOM_RULE,
        further={
            "custom_by_operand": RULE_BY_OPERAND,
            "custom_forward": FORWARD_RULE,
            "nested_vjp": "{out} = make_vjp(lambda xs: packed({function}(*xs)))(packed(({operands},)))[0]({cotangent})",
            "jvp": "{out}, {pushed} = make_jvp(lambda xs: packed({function}(*xs)))(packed(({operands},)))"
            "(packed(({tangents},)))",
            "value_and_gradient": "{value}, {gradients} = value_and_grad({function}, {wrt})({operands})",
            "rows": "[jacobian({function}, i)({operands}) for i in range(len([{operands}]))]",
            "hessian": "(hessian({function})({operands}),)",
            "checkpoint": "checkpoint(lambda *xs: packed({function}(*xs)))",
        },
    )

    def version(self) -> str:
        """The version of the distribution; the module has none."""
        return importlib.metadata.version("autograd")

    def array(self, value: NDArray) -> NDArray:
        """The array itself: autograd takes NumPy arrays."""
        return value

    def numpy(self, array: Any) -> NDArray:
        """The array without its box; a reduction gives NumPy's scalars, which are made arrays."""
        return np.asarray(getval(array))

    def memory(self, array: Any) -> NDArray:
        """The array itself; of a scalar, which has no writable memory, a copy."""
        return self.numpy(array)

    def pullback(self, function: Function, arrays: Sequence[Any]) -> tuple[Any, Callable[..., Any]]:
        """autograd.make_vjp: of one operand by itself, of several as a tuple."""
        if len(arrays) == 1:
            pulled, output = make_vjp(lambda x: packed(function(x)))(arrays[0])
            return output, lambda g: (pulled(g),)
        pulled, output = make_vjp(lambda xs: packed(function(*xs)))(packed(arrays))
        return output, pulled

    def gradient(self, function: Function, operands: Sequence[NDArray]) -> tuple[Any, ...]:
        """autograd.grad of every operand."""
        if len(operands) == 1:
            return (grad(function)(*operands),)
        return tuple(grad(function, argnum=tuple(range(len(operands))))(*operands))

    def detach(self, array: Any) -> Any:
        """The value in the box."""
        return getval(array)

    def custom(self, forward: Function, backward: Function) -> Function:
        """A primitive whose rule gives the cotangents of all operands at once, as defvjp_argnums takes it.

        Where all operands are differentiated, what `backward` returns reaches autograd as it is.
        """
        ruled = primitive(lambda *operands: forward(*operands))

        def rule(argnums: Sequence[int], _: Any, operands: Any, __: Any) -> Callable[[Any], Any]:
            is_whole = len(argnums) == len(operands)
            return lambda g: (
                backward(g, *operands) if is_whole else [backward(g, *operands)[i] for i in argnums]
            )

        defvjp_argnums(ruled, rule)
        return lambda *operands: ruled(*operands)

    def custom_by_operand(self, forward: Function, backward: Function) -> Function:
        """A primitive with defvjp_argnums, which names the operands that are differentiated."""
        ruled = primitive(lambda *operands: forward(*operands))

        def rule(argnums: Sequence[int], outputs: Any, operands: Any, _: Any) -> Callable[[Any], Any]:
            has_several = isinstance(getval(outputs), tuple)  # in an outer trace they are boxed

            def listed(values: Any) -> tuple[Any, ...]:
                return unboxed(values) if has_several else (values,)

            return lambda g: [backward(i, listed(g), operands, listed(outputs)) for i in argnums]

        defvjp_argnums(ruled, rule)
        return lambda *operands: unboxed(ruled(*operands))

    def custom_forward(self, forward: Function, pushforward: Function) -> Function:
        """A primitive with defjvp_argnums, which is given the tangents that there are; a constant's is zeros."""
        ruled = primitive(lambda *operands: packed(forward(*operands)))

        def push(argnums: Sequence[int], given: Any, _: Any, operands: Any, __: Any) -> Any:
            known = dict(zip(argnums, given, strict=True))
            tangents = tuple(known.get(i, 0 * x) for i, x in enumerate(operands))
            return packed(pushforward(tuple(operands), tangents))

        defjvp_argnums(ruled, push)
        return lambda *operands: unboxed(ruled(*operands))

    def nested_vjp(
        self, function: Function, arrays: Sequence[Any], cotangents: Sequence[Any]
    ) -> tuple[Any, ...]:
        """autograd.make_vjp, whose pullback is made of primitives again."""
        returned: list[Any] = []  # as it is: the pullback's output may be boxed, and then it is no tuple

        def kept(*operands: Any) -> Any:
            returned[:] = [function(*operands)]
            return returned[0]

        _, pulled = self.pullback(kept, arrays)
        return tuple(pulled(packed(cotangents) if isinstance(returned[0], (tuple, list)) else cotangents[0]))

    def jvp(
        self, function: Function, operands: Sequence[NDArray], tangents: Sequence[NDArray]
    ) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
        """autograd.make_jvp of all operands at once."""
        push = make_jvp(lambda xs: packed(function(*xs)))(tuple(operands))
        with _missing_rules():
            outputs, pushed = push(tuple(tangents))
        return as_tuple(outputs), as_tuple(pushed)

    def nested_jvp(
        self, function: Function, arrays: Sequence[Any], tangents: Sequence[Any]
    ) -> tuple[Any, ...]:
        """autograd.make_jvp, whose tangents are made of primitives again."""
        push = make_jvp(lambda xs: packed(function(*xs)))(packed(arrays))
        with _missing_rules():
            pushed = push(packed(tangents))[1]
        return tuple(pushed) if isinstance(pushed, SequenceBox) else as_tuple(pushed)

    def checkpoint(self, function: Function) -> Function:
        """autograd.checkpoint, of a function whose outputs autograd can box."""
        saved: Function = checkpoint(lambda *xs: packed(function(*xs)))
        return saved

    def jacobian(self, function: Function, operands: Sequence[NDArray], kind: str = "rows") -> Sequence[Any]:
        """autograd.jacobian by one operand after the other, and autograd.hessian; none is by columns."""
        if kind == "hessian":
            return (hessian(function)(*operands),)
        if kind == "columns":
            raise Unsupported("autograd.jacobian is by rows")
        return [jacobian(function, i)(*operands) for i in range(len(operands))]

    def value_and_gradient(
        self,
        function: Function,
        arrays: Sequence[Any],
        wrt: int | tuple[int, ...],
        *,
        auxiliary: bool = False,
    ) -> tuple[Any, Any, Any]:
        """autograd.value_and_grad; autograd.grad_and_aux gives no value."""
        if auxiliary:
            raise Unsupported("autograd.value_and_grad takes no auxiliary results")
        value, gradients = value_and_grad(function, wrt)(*arrays)
        return value, gradients, None

    def structured_gradient(self, function: Function, structure: Any) -> Any:
        """autograd.grad of a function of one structure."""
        return grad(function)(structure)


def packed(output: Any) -> Any:
    """Several outputs as autograd wants them returned: in a tuple of its own, that can be boxed."""
    return autograd.builtins.tuple(output) if isinstance(output, (tuple, list)) else output
