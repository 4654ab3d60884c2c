"""A second derivative along a direction is the difference of the rule's gradients, also where the reference takes no complex numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from conformance.case import Array, Case
from conformance.op import Op, Trait
from conformance.ops import CATALOGUE, find
from conformance.oracle.allowance import differentiable, extended, reference_vjp
from conformance.oracle.second_order import expected_hessian_vector_products, is_smooth, value_along
from conformance.run.plan import PROFILES
from conformance.strategies import draw_cases
from conformance.values import direction

STEP = np.longdouble(2.0**-14)
NORMS = (
    "i0e",
    "i1e",
    "softsign",
    "vector_norm",
    "matrix_norm",
    "cdist",
    "pairwise_distance",
    "normalize",
    "triplet_margin",
)
REAL = tuple(name for name, op in CATALOGUE.items() if Trait.REAL_REFERENCE in op.traits)


def by_differences(op: Op, case: Case, wrt: Sequence[int], directions: Sequence[Array]) -> list[Array]:
    """The derivative of the gradients, by central differences in extended precision without their error of second order."""
    evaluate = reference_vjp(op, case, wrt)

    def gradients(t: np.longdouble) -> list[Array]:
        xs = [extended(x) for x in case.operands]
        for i, along in zip(wrt, directions, strict=True):
            xs[i] = xs[i] + t * along
        return [np.asarray(g) for g in evaluate([*xs, *map(extended, case.cotangents)])]

    def quotients(h: np.longdouble) -> list[Array]:
        return [(after - before) / (2 * h) for after, before in zip(gradients(h), gradients(-h), strict=True)]

    pairs = zip(quotients(STEP), quotients(STEP / 2), strict=True)
    return [(4 * fine - coarse) / 3 for coarse, fine in pairs]


def of_size_one(g: Array) -> Array:
    """The cotangent over a power of two, where it is larger than that."""
    return np.asarray(g / 2.0 ** np.floor(np.log2(np.abs(g).max(initial=1))))


@pytest.mark.costly
@pytest.mark.parametrize("name", [*REAL, *NORMS])
def test_a_second_derivative_is_the_difference_of_gradients(name: str) -> None:
    op, decided = find(name), 0
    for drawn in draw_cases(op, "float64", 0, PROFILES["quick"]):
        # The product is linear in the cotangents; beside large ones 1e-3 would be less than a unit in the last place.
        case = replace(drawn, cotangents=tuple(map(of_size_one, drawn.cotangents)))
        rng, wrt = np.random.default_rng(0), differentiable(op, case)
        along = [direction(op.domain(i), case.operands[i].shape, case.dtype, rng) for i in wrt]
        if not is_smooth(op, case, wrt, along):
            continue
        decided += 1
        expected = expected_hessian_vector_products(op, case, wrt, along)
        for found, bound in zip(by_differences(op, case, wrt, along), expected, strict=True):
            size = np.abs(bound.exact).max(initial=1e-3)
            assert (np.abs(found - bound.exact) <= 1e-10 * size).all()
    assert decided > 5


@pytest.mark.parametrize("name", REAL)
def test_a_value_has_its_tangent_as_imaginary_part(name: str) -> None:
    op, h = find(name), 2.0**-20
    case = next(c for c in draw_cases(op, "float64", 0, PROFILES["quick"]) if c.operands[0].size > 1)
    moved = [x + h * np.sign(x) for x in case.operands]
    value, beside = (np.asarray(op.reference(*xs, **case.parameters)) for xs in (case.operands, moved))
    stepped = value_along(op, [x + 1j * np.sign(x) for x in case.operands], case.parameters)
    np.testing.assert_allclose(np.imag(stepped), (beside - value) / h, rtol=1e-3, atol=1e-4)
    np.testing.assert_array_equal(np.real(stepped), value)


def test_what_a_mask_leaves_out_leaves_the_second_derivative_of_the_rest_known() -> None:
    op, rng = find("scaled_dot_product_attention"), np.random.default_rng(0)
    q, k, v, g, *directions = rng.normal(size=(7, 3, 2))
    case = Case(
        op=op.name,
        operands=(q, k, v),
        parameters={"is_causal": True},
        cotangents=(g,),
        layouts=("C",) * 4,
        dtype="float64",
    )
    for expected in expected_hessian_vector_products(op, case, (0, 1, 2), directions):
        assert (expected.allowed < 1e-13).all()
        assert np.abs(expected.exact).max() > 0.1
