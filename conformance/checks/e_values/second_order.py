"""Chapter E: gradients of gradients, by every order of the two modes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np

from conformance.backend import Backend, Capability, as_tuple, restricted
from conformance.case import Array, Case
from conformance.checks.comparison import Comparison, hold_all_within, hold_equal
from conformance.checks.engine_calls import full_sum
from conformance.checks.observation import Observation, hold_gradient, plain
from conformance.checks.registry import NotThisCase, contract, op_check
from conformance.checks.sample import Sample
from conformance.errors import Unsupported, Violation
from conformance.kept import kept
from conformance.op import Op
from conformance.ops.names import ADD, MATMUL, MULTIPLY
from conformance.oracle.allowance import Expected
from conformance.oracle.second_order import expected_hessian_vector_products, is_smooth
from conformance.values import direction


@dataclass(frozen=True)
class SecondOrderCase:
    """A function whose second derivative is taken, along a direction for each of its operands."""

    backend: Backend
    function: Callable[..., Any]
    operands: Sequence[Array]
    directions: Sequence[Array]
    cotangents: Sequence[Array]

    @classmethod
    def of(cls, seen: Observation, directions: Sequence[Array]) -> SecondOrderCase:
        """That of an observed case: a function of the differentiable operands alone."""
        arrays = [seen.backend.array(np.array(x)) for x in seen.case.operands]
        function = restricted(seen.backend.call(seen.op.name, seen.case.parameters), arrays, seen.wrt)
        operands = [np.array(seen.case.operands[i]) for i in seen.wrt]
        return cls(seen.backend, function, operands, directions, seen.case.cotangents)

    def gradients(self, *variables: Any) -> tuple[Any, ...]:
        """The gradients of the case, recorded."""
        return self.backend.nested_vjp(self.function, variables, self.engines(self.cotangents))

    def tangents(self, *variables: Any) -> tuple[Any, ...]:
        """The outputs' tangents along the directions, recorded."""
        return self.backend.nested_jvp(self.function, variables, self.engines(self.directions))

    def engines(self, arrays: Sequence[Array]) -> tuple[Any, ...]:
        """The engine's arrays of these values."""
        return tuple(self.backend.array(np.array(x)) for x in arrays)

    def weighed(self, function: Callable[..., Any], weights: Sequence[Array]) -> Callable[..., Any]:
        """The scalar Σ ⟨weight, output⟩ of a function of several outputs; those that are None weigh nothing."""
        multiply, add = self.backend.op(MULTIPLY), self.backend.op(ADD)
        total = full_sum(self.backend)

        def scalar(*variables: Any) -> Any:
            outputs = zip(function(*variables), self.engines(weights), strict=True)
            terms = [total(multiply(z, w)) for z, w in outputs if z is not None]
            if terms:
                return reduce(add, terms)
            return total(multiply(variables[0], *self.engines([np.zeros((), self.operands[0].dtype)])))

        return scalar


def reverse_over_reverse(case: SecondOrderCase) -> list[Array | None]:
    """The gradient of ⟨u, gradient⟩."""
    return _plain(case, case.backend.gradient(case.weighed(case.gradients, case.directions), case.operands))


def forward_over_reverse(case: SecondOrderCase) -> list[Array | None]:
    """The gradient's tangent."""
    return pushed(case, case.gradients, len(case.operands))


def pushed(case: SecondOrderCase, function: Callable[..., Any], count: int) -> list[Array | None]:
    """The tangents of a function of `count` outputs along the directions; None where an output, or its tangent, is."""
    kept: list[int] = []

    def outputs(*variables: Any) -> Any:
        found = function(*variables)
        kept[:] = [i for i, z in enumerate(found) if z is not None]
        return tuple(found[i] for i in kept)

    _, tangents = case.backend.jvp(outputs, case.operands, [np.array(u) for u in case.directions])
    return _plain(case, [*map(dict(zip(kept, tangents, strict=True)).get, range(count))])


def reverse_over_forward(case: SecondOrderCase) -> list[Array | None]:
    """The gradient of ⟨g, tangent⟩."""
    return _plain(case, case.backend.gradient(case.weighed(case.tangents, case.cotangents), case.operands))


def _plain(case: SecondOrderCase, arrays: Sequence[Any]) -> list[Array | None]:
    return [None if x is None else plain(case.backend, x) for x in arrays]


ORDERS = (reverse_over_reverse, forward_over_reverse, reverse_over_forward)
BOTH_MODES = (Capability.HIGHER_ORDER, Capability.FORWARD)


def has_curvature(op: Op) -> bool:
    """Whether an op has a second derivative that is not zero."""
    return not op.is_piecewise_linear


@op_check("E4", "reverse-over-reverse", Capability.HIGHER_ORDER, applies=has_curvature, sparing=True)
def gradient_of_the_gradient_is_the_derivative_of_the_vjp(seen: Observation) -> list[Comparison]:
    """The gradient of the gradient is the derivative of the reference VJP."""
    return _hold_second_order(seen, reverse_over_reverse)


@op_check("E4", "forward-over-reverse", *BOTH_MODES, applies=has_curvature, sparing=True)
def tangent_of_the_gradient_is_the_derivative_of_the_vjp(seen: Observation) -> list[Comparison]:
    """The tangent of the gradient is the derivative of the reference VJP."""
    return _hold_second_order(seen, forward_over_reverse)


@op_check("E4", "reverse-over-forward", *BOTH_MODES, applies=has_curvature, sparing=True)
def gradient_of_the_tangent_is_the_derivative_of_the_vjp(seen: Observation) -> list[Comparison]:
    """The gradient of the tangent is the derivative of the reference VJP."""
    return _hold_second_order(seen, reverse_over_forward)


def _hold_second_order(
    seen: Observation, order: Callable[[SecondOrderCase], list[Array | None]]
) -> list[Comparison]:
    """The derivative of the gradients along a direction, by one order of the modes, is the oracle's."""
    directions, expected = expected_along_directions(seen)
    case = SecondOrderCase.of(seen, directions)
    found = by_order(seen, case, order, ORDERS.index(order))
    pairs = enumerate(zip(found, expected, strict=True))
    return hold_all_within(
        ((got, bound, f"the derivative of {seen.label(n)}") for n, (got, bound) in pairs),
        claim="differs from the derivative of the reference VJP",
    )


def by_order(
    seen: Observation,
    case: SecondOrderCase,
    order: Callable[[SecondOrderCase], list[Array | None]],
    place: int,
) -> list[Array | None]:
    """What an order gives: by itself, or out of the function that has all, in its place of them."""
    together = seen.shared("second order", lambda: _compiled_together(case))
    return order(case) if together is None else _plain(case, together[place])


def _compiled_together(case: SecondOrderCase) -> Sequence[Sequence[Any]] | None:
    """What each of the ORDERS gives, then forward over forward, out of one compiled function, which costs little more than one of them.

    None where each is called by itself: the engine compiles no functions, or refuses an order, which its own check reports.
    """
    backend, one = case.backend, [np.ones((), case.operands[0].dtype)]
    if not backend.compiles_functions:
        return None
    orders: Sequence[Callable[..., Any]] = (
        lambda *xs: backend.nested_vjp(case.weighed(case.gradients, case.directions), xs, case.engines(one)),
        lambda *xs: backend.nested_jvp(case.gradients, xs, case.engines(case.directions)),
        lambda *xs: backend.nested_vjp(case.weighed(case.tangents, case.cotangents), xs, case.engines(one)),
        lambda *xs: backend.nested_jvp(case.tangents, xs, case.engines(case.directions)),
    )
    together = backend.compiled(lambda *xs: [as_tuple(order(*xs)) for order in orders])
    try:
        found: Sequence[Sequence[Any]] = together(*case.engines(case.operands))
    except Exception:
        return None
    return found


def expected_along_directions(seen: Observation) -> tuple[list[Array], list[Expected]]:
    """A direction for every operand, and the Hessian-vector products along it; NotThisCase where all are zero."""
    directions, expected = expected_of(seen.op, seen.case, tuple(seen.wrt), seen.perturbations)
    if expected is None:
        raise NotThisCase("the rule is not analytic here, so its derivative is not known")
    if not any((np.abs(bound.exact) > bound.allowed).any() for bound in expected):
        raise NotThisCase("the second derivative is zero")
    return directions, expected


@kept(Expected)
def expected_of(
    op: Op, case: Case, wrt: tuple[int, ...], perturbations: int
) -> tuple[list[Array], list[Expected] | None]:
    """The directions, and the products; None where the rule is not analytic. The three orders share them."""
    rng = np.random.default_rng(len(case.label))
    directions = [direction(op.domain(i), case.operands[i].shape, case.dtype, rng) for i in wrt]
    if not is_smooth(op, case, wrt, directions):
        return directions, None
    return directions, expected_hessian_vector_products(op, case, wrt, directions, perturbations)


# ---- whole programs, exactly --------------------------------------------------------------------------


def _cubic(engine: Backend) -> Callable[..., Any]:
    """x²y + xy² on arrays."""
    multiply, add = engine.op(MULTIPLY), engine.op(ADD)

    def cubic(x: Any, y: Any) -> Any:
        product = multiply(x, y)
        return add(multiply(product, x), multiply(product, y))

    return cubic


@contract("E4", "four-orders", Capability.HIGHER_ORDER, Capability.FORWARD)
def four_orders_agree(engine: Backend, sample: Sample) -> None:
    """Reverse and forward mode, each over each, give the second derivative of x²y + xy² exactly."""
    x, y, u, v, g = (sample.array() for _ in range(5))
    s, t = sample.array(), sample.array()
    function = _cubic(engine)
    # ⟨g, f''[(u, v), ·]⟩, and along (s, t)
    of_x, of_y = g * (2 * y * u + 2 * (x + y) * v), g * (2 * (x + y) * u + 2 * x * v)
    case = SecondOrderCase(engine, function, (x, y), (u, v), (g,))
    for order in ORDERS:
        name_of_order = order.__name__.replace("_", " ")
        for got, exact, name in zip(order(case), (of_x, of_y), "xy", strict=True):
            hold_equal(got, exact, f"the second derivative by {name}, {name_of_order}")
    try:
        _, (twice,) = engine.jvp(case.tangents, [np.array(x), np.array(y)], [np.array(s), np.array(t)])
    except Unsupported:
        return  # one level of forward mode is what this engine offers
    hold_equal(plain(engine, twice) * g, s * of_x + t * of_y, "the tangent's tangent, forward over forward")


@contract("E4", "third-order", Capability.HIGHER_ORDER)
def third_derivatives_are_exact(engine: Backend, sample: Sample) -> None:
    """The third derivatives of x⁴ and of x³y are exact."""
    x, y = sample.array(()), sample.array(())
    multiply = engine.op(MULTIPLY)

    def differentiated(function: Callable[..., Any]) -> Callable[..., Any]:
        def derivative(*xs: Any) -> Any:
            gradient = engine.nested_vjp(function, xs, [engine.array(sample.scalar(1.0))])[0]
            if gradient is None:
                raise Violation("the gradient of a gradient is None")
            return gradient

        return derivative

    def cube(a: Any) -> Any:
        return multiply(multiply(a, a), a)

    fourth = differentiated(differentiated(lambda a: multiply(cube(a), a)))
    (got,) = engine.gradient(fourth, [x])
    hold_gradient(engine, got, 24 * x, "the third derivative of x⁴")
    mixed = differentiated(differentiated(lambda a, b: multiply(cube(a), b)))
    of_x, of_y = engine.gradient(mixed, [x, y])
    hold_equal(plain(engine, of_x), 6 * y, "the third derivative of x³y, thrice by x")
    hold_equal(plain(engine, of_y), 6 * x, "the third derivative of x³y, twice by x and once by y")


@contract("E5", "symmetric", Capability.HIGHER_ORDER)
def mixed_partials_commute(engine: Backend, sample: Sample) -> None:
    """⟨u, Hv⟩ = ⟨v, Hu⟩: the Hessian of a function of several operands is symmetric."""
    shape = (2, 2)
    x, y, u, v, s, t, g = (sample.array(shape) for _ in range(7))
    matmul, multiply = engine.op(MATMUL), engine.op(MULTIPLY)

    def function(a: Any, b: Any) -> Any:
        product = matmul(a, b)
        return multiply(multiply(product, a), b)

    along = {}
    for name, directions in (("u", (u, v)), ("s", (s, t))):
        case = SecondOrderCase(engine, function, (x, y), directions, (g,))
        along[name] = [np.zeros(shape) if h is None else h for h in reverse_over_reverse(case)]
    here = np.sum(s * along["u"][0]) + np.sum(t * along["u"][1])
    there = np.sum(u * along["s"][0]) + np.sum(v * along["s"][1])
    if not along["u"][0].any():
        raise Violation("the second derivative of (x y) · x · y is zero")
    hold_equal(np.asarray(here), np.asarray(there), "⟨u, Hv⟩ is not ⟨v, Hu⟩")


@contract("E5", "commuting", Capability.HIGHER_ORDER)
def order_of_partials_does_not_matter(engine: Backend, sample: Sample) -> None:
    """∂²f/∂x∂y is ∂²f/∂y∂x: the gradient by x differentiated by y, and the other way round."""
    x, y, u, g = (sample.array() for _ in range(4))
    function = _cubic(engine)

    def mixed(first: int) -> Array:
        def gradient(*xs: Any) -> tuple[Any, ...]:
            return (engine.nested_vjp(function, xs, [engine.array(np.array(g))])[first],)

        case = SecondOrderCase(engine, function, (x, y), (), ())
        hessian_vector_product = engine.gradient(case.weighed(gradient, [u]), [x, y])[1 - first]
        return plain(engine, hessian_vector_product)

    exact = g * 2 * (x + y) * u
    hold_equal(mixed(0), exact, "the gradient by x of x²y + xy², differentiated by y")
    hold_equal(mixed(1), exact, "the gradient by y of x²y + xy², differentiated by x")
