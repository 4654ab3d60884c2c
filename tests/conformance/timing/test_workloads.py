"""The hand-written gradients are right, and the programs are the same functions as the hand-written ones."""

from __future__ import annotations

import numpy as np
import pytest

from conformance.cli.console import parameters_of
from conformance.ops import CATALOGUE
from conformance.timing.programs import WORKLOADS
from conformance.timing.workloads import ON_REQUEST, OPS_PER_STEP, SIZES, Workload, label

from .engines import OPS, gradient_by_complex_step

EVERY = pytest.mark.parametrize("workload", WORKLOADS.values(), ids=WORKLOADS.keys())
EVERY_RANK = (*SIZES, *ON_REQUEST)
EVERY_SIZE = pytest.mark.parametrize("rank", SIZES)


def operands_of(workload: Workload, rank: str, dtype: str = "float64") -> tuple[np.ndarray, ...]:
    return workload.operands(workload.sizes[rank], dtype, np.random.default_rng(3))


@EVERY
def test_every_entry_of_the_hand_written_gradient_is_the_complex_step(workload: Workload) -> None:
    size, operands = workload.sizes["small"], operands_of(workload, "small")
    _, gradients = workload.gradient(size, *operands)
    stepped = gradient_by_complex_step(lambda *perturbed: workload.forward(size, *perturbed), operands)
    for gradient, exact in zip(gradients, stepped, strict=True):
        np.testing.assert_allclose(gradient, exact, rtol=1e-12, atol=1e-15)


def test_the_gradient_of_cross_entropy_holds_where_the_targets_are_no_probabilities() -> None:
    workload = WORKLOADS["softmax_cross_entropy"]
    x, w, t = operands_of(workload, "small")
    _, gradients = workload.gradient({}, x, w, 3 * t)
    stepped = gradient_by_complex_step(lambda *perturbed: workload.forward({}, *perturbed), (x, w, 3 * t))
    for gradient, exact in zip(gradients, stepped, strict=True):
        np.testing.assert_allclose(gradient, exact, rtol=1e-12, atol=1e-15)


@EVERY
@EVERY_SIZE
def test_the_hand_written_gradient_is_the_complex_step_along_a_direction(
    workload: Workload, rank: str
) -> None:
    size, operands = workload.sizes[rank], operands_of(workload, rank)
    _, gradients = workload.gradient(size, *operands)
    rng = np.random.default_rng(4)
    directions = [rng.standard_normal(gradient.shape) for gradient in gradients]
    perturbed = [x + 1e-30j * along for x, along in zip(operands, directions, strict=True)]
    slope = np.imag(workload.forward(size, *perturbed)) / 1e-30
    terms = [
        (np.sum(g * along), np.linalg.norm(g) * np.linalg.norm(along))
        for g, along in zip(gradients, directions, strict=True)
    ]
    assert abs(sum(term for term, _ in terms) - slope) <= 1e-13 * sum(scale for _, scale in terms)


@EVERY
@EVERY_SIZE
def test_the_program_is_the_hand_written_function(workload: Workload, rank: str) -> None:
    size, operands = workload.sizes[rank], operands_of(workload, rank)
    program = workload.program(OPS.__getitem__, size)
    np.testing.assert_allclose(program(*operands), workload.forward(size, *operands), rtol=1e-13)
    np.testing.assert_allclose(
        workload.gradient(size, *operands)[0], workload.forward(size, *operands), rtol=1e-13
    )


@EVERY
def test_the_program_gives_every_parameter_of_its_ops(workload: Workload) -> None:
    """An engine may have no default for one: it would be left out as one that cannot do the work."""

    def strict(name: str) -> object:
        def call(*operands: object, **parameters: object) -> object:
            assert parameters.keys() == parameters_of(CATALOGUE[name]).keys(), name
            return OPS[name](*operands, **parameters)

        return call

    size = workload.sizes["small"]
    workload.program(strict, size)(*operands_of(workload, "small"))


@EVERY
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_operands_and_gradients_have_the_requested_dtype(workload: Workload, dtype: str) -> None:
    operands = operands_of(workload, "small", dtype)
    value, gradients = workload.gradient(workload.sizes["small"], *operands)
    assert {x.dtype for x in (*operands, *gradients, np.asarray(value))} == {np.dtype(dtype)}


@EVERY
def test_sizes_grow_and_their_labels_differ(workload: Workload) -> None:
    extents = [np.prod(list(workload.sizes[rank].values())) for rank in EVERY_RANK]
    assert extents == sorted(extents)
    assert workload.sizes.keys() == set(EVERY_RANK)
    assert len({label(size) for size in workload.sizes.values()}) == len(EVERY_RANK)


def test_the_deep_chain_is_as_deep_as_it_says() -> None:
    counted = []

    def counting(name: str) -> object:
        return lambda *operands, **parameters: counted.append(name) or OPS[name](*operands, **parameters)

    chain = WORKLOADS["deep_chain"]
    chain.program(counting, chain.sizes["medium"])(*operands_of(chain, "medium"))
    assert len(counted) - len(["square", "mean"]) == chain.sizes["medium"]["depth"]
    assert all(size["depth"] % OPS_PER_STEP == 0 for size in chain.sizes.values())


def test_the_deep_chain_neither_grows_nor_vanishes() -> None:
    chain = WORKLOADS["deep_chain"]
    for rank in SIZES:
        _, gradients = chain.gradient(chain.sizes[rank], *operands_of(chain, rank))
        assert all(1e-4 < np.max(np.abs(g)) < 1e2 for g in gradients)
