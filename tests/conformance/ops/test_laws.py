"""A law offers enough signatures to meet every level, few enough to be listed, and none that its row is wrong at."""

from __future__ import annotations

import contextlib
import itertools
import math
import zlib

import numpy as np
import pytest

from conformance.case import decode, encode
from conformance.design.rows import KEEPS_SOMETHING, PROBED, Row, leaves
from conformance.op import Op, Trait
from conformance.ops import ALL_OPS, CATALOGUE, find
from conformance.oracle.proof import PROVEN, prove
from conformance.strategies.cases import build

MOST = 6000  # signatures of a law, so that they can be listed whenever a run starts
LARGEST = 65_537  # entries of an operand
LISTED = 300  # signatures of a law of which an output is computed here
SAMPLE = 8  # signatures of each law proven here, other ones than the proofs of drawn cases prove
OPS = pytest.mark.parametrize("op", ALL_OPS.values(), ids=ALL_OPS.keys())


@OPS
def test_a_law_offers_no_more_signatures_than_can_be_listed(op: Op) -> None:
    offered = leaves(op.law)
    assert len(offered) <= MOST
    assert all(math.prod(shape) <= LARGEST for s in offered for shape in s.shapes)


@OPS
def test_parameters_can_be_written_and_read_back(op: Op) -> None:
    for signature in leaves(op.law):
        for value in signature.parameters.values():
            assert decode(encode(value)) == value


@pytest.mark.parametrize("op", CATALOGUE.values(), ids=CATALOGUE.keys())
def test_the_rule_is_right_at_signatures_from_all_over_the_law(op: Op) -> None:
    offered = [s for s in leaves(op.law) if max(map(math.prod, s.shapes)) <= 300]
    first = zlib.crc32(op.name.encode())
    for k in range(SAMPLE):
        signature = offered[(first + k * len(offered) // SAMPLE) % len(offered)]
        case = build(
            op,
            Row(signature),
            "float32",
            texture="round",
            upstream="signed",
            layouts=("C",),
            seed=first % 65_536 + k,
        )
        proof = prove(op, [case])
        assert proof.error <= PROVEN, (case.label, proof)


@OPS
def test_parameters_that_are_said_to_keep_something_leave_no_output_empty(op: Op) -> None:
    """The design computes no output where it can tell so; a row without output would be asked as one that decides."""
    stated = [
        s for s in leaves(op.law) if Trait.ELEMENTWISE in op.traits or s.parameters.keys() <= KEEPS_SOMETHING
    ]
    some = [s for s in stated if all(0 < math.prod(shape) <= PROBED for shape in s.shapes)]
    for signature in some[:: 1 + len(some) // LISTED]:
        with np.errstate(all="ignore"), contextlib.suppress(ValueError, IndexError, np.linalg.LinAlgError):
            found = op.reference(*map(np.ones, signature.shapes), **signature.parameters)
            assert any(np.size(output) for output in (found if isinstance(found, tuple) else (found,)))


# ---- levels that engines treat differently -----------------------------------------------------------

REDUCTIONS = [op.name for op in CATALOGUE.values() if Trait.REDUCTION in op.traits]
BINARY = [op.name for op in CATALOGUE.values() if Trait.ELEMENTWISE in op.traits and len(op.domains) > 1]


@pytest.mark.parametrize("name", [*REDUCTIONS, *BINARY, "exp", "flip", "concat", "matmul", "softmax", "pad"])
def test_operands_have_zero_to_six_axes(name: str) -> None:
    ranks = {len(shape) for s in leaves(find(name).law) for shape in s.shapes}
    assert ranks >= {1, 2, 3, 4, 5, 6}


@pytest.mark.parametrize("name", [*REDUCTIONS, *BINARY, "exp", "softmax", "concat", "cumulative_sum"])
def test_sizes_are_around_those_of_blocks(name: str) -> None:
    sizes = {n for s in leaves(find(name).law) for shape in s.shapes for n in shape}
    assert sizes >= {1, 2, 3}
    assert sizes & {16, 17, 31, 32, 33}
    if name not in ("prod", "nanprod"):  # products of more overflow
        assert sizes & {63, 64, 65, 127, 128, 129}


@pytest.mark.parametrize("name", BINARY)
def test_each_operand_is_broadcast_against_the_others_and_both_at_once(name: str) -> None:
    pairs = {s.shapes[:2] for s in leaves(find(name).law)}
    results = {pair: np.broadcast_shapes(*pair) for pair in pairs}
    assert {(a == z, b == z) for (a, b), z in results.items()} == set(
        itertools.product((False, True), repeat=2)
    )
    assert ((1,), (1, 3)) in pairs


@pytest.mark.parametrize(
    ("name", "parameter", "values"),
    [
        ("std", "correction", {0, 1, 0.3, 2}),
        ("vector_norm", "ord", {0.5, 1, 1.5, 2, 2.3, 3, math.inf, -math.inf}),
        ("matrix_power", "n", {-3, -2, -1, 0, 1, 2, 3, 4, 7}),
        ("conv2d", "groups", {1, 2, 3}),
        ("tril", "k", {0, 1, -1, 2, -2, 5, -5}),
    ],
)
def test_a_parameter_takes_these_values(name: str, parameter: str, values: set[object]) -> None:
    assert {s.parameters[parameter] for s in leaves(find(name).law)} == values


@pytest.mark.parametrize(
    ("name", "counts"),
    [("concat", {1, 2, 3, 4, 7, 12}), ("stack", {1, 2, 3, 4, 7, 12}), ("einsum", {1, 2, 3, 4, 7})],
)
def test_there_are_so_many_operands(name: str, counts: set[int]) -> None:
    assert {len(s.shapes) for s in leaves(find(name).law)} == counts


@pytest.mark.parametrize(
    ("name", "shapes"),
    [
        ("addmm", ((3, 1), (3, 2), (2, 3))),  # a column, and a product that is square
        ("batch_norm", ((2, 3, 3), (3,), (3,))),  # as many channels as the last axis is long
        ("block_diag", ((0, 3), (2, 0))),  # blocks without entries
    ],
)
def test_these_shapes_are_among_the_laws(name: str, shapes: tuple[tuple[int, ...], ...]) -> None:
    assert shapes in {s.shapes for s in leaves(find(name).law)}


def test_a_shape_is_broadcast_to_one_that_it_fits_at_both_ends() -> None:
    calls = {(*s.shapes, s.parameters["shape"]) for s in leaves(find("broadcast_to").law)}
    assert {((3,), (3, 3)), ((3, 1), (3, 1, 3, 1))} <= calls


def test_slices_are_copied_in_an_order_that_is_not_its_own_inverse() -> None:
    assert [1, 2, 0] in [s.parameters["indices"] for s in leaves(find("index_copy").law)]


def test_single_conditions_select_among_arrays_of_unlike_shapes() -> None:
    drawn = {s.shapes for s in leaves(find("select").law)}
    assert any(s[:2] == ((), ()) and len({*s[2:]}) == 2 for s in drawn)


def test_strides_paddings_dilations_and_groups_are_crossed() -> None:
    calls = [s.parameters for s in leaves(find("conv2d").law)]
    for one, other in itertools.combinations(("stride", "padding", "dilation", "groups"), 2):
        pairs = {(c[one], c[other]) for c in calls}
        assert len(pairs) == len({c[one] for c in calls}) * len({c[other] for c in calls})
