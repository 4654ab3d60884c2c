"""Every rule is proven without using it, and a wrong rule is not proven."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from conformance.op import Op, Trait
from conformance.ops import ALL_OPS, find
from conformance.oracle.proof import CAUCHY_RIEMANN, COMPLEX_STEP, EXTENDED, PROVEN, prove
from conformance.selfcheck.proofs import COMPLEX_DTYPE, COMPLEX_EFFORT, DTYPE, EFFORT, prove_row
from conformance.strategies import Effort, draw_cases

# Every oracle has rows, so every oracle has a chance to miss something.
EXAMPLES = ("tanh", "abs", "matmul", "softmax", "max", "split", "slogdet", "cross_entropy", "where")


def prove_changed(
    name: str, change: Callable[[Any], Any], dtype: str = DTYPE, effort: Effort = EFFORT
) -> Any:
    """The proof of a row whose gradients are changed on their way out."""
    op = find(name)

    def rule(index: int, g: Any, z: Any, /, *operands: Any, **parameters: Any) -> Any:
        return change(op.rule(index, g, z, *operands, **parameters))

    return prove(replace(op, rule=rule), draw_cases(op, dtype, 0, effort))


@pytest.mark.parametrize("name", ALL_OPS)
def test_the_rule_agrees_with_an_oracle_that_does_not_use_it(name: str) -> None:
    proof = prove_row(name)
    assert proof.cases > 0
    assert proof.error <= PROVEN, proof
    assert proof.holds


@pytest.mark.costly
@pytest.mark.parametrize("name", EXAMPLES)
def test_a_rule_off_by_a_billionth_is_caught(name: str) -> None:
    proof = prove_changed(name, lambda gradient: gradient * (1 + np.longdouble(1e-9)))
    assert proof.error > PROVEN
    assert not proof.holds


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_rule_of_zeros_is_caught(name: str) -> None:
    assert prove_changed(name, np.zeros_like).error > 0.1


def test_a_single_wrong_entry_is_caught() -> None:
    def last_entry_altered(gradient: Any) -> Any:
        altered = np.array(gradient)
        if altered.size:
            altered.flat[-1] *= 1 + np.longdouble(1e-8)
        return altered

    assert not prove_changed("matmul", last_entry_altered).holds


@pytest.mark.parametrize("change", [np.ravel, lambda g: g * np.nan], ids=["shape", "nan"])
def test_a_gradient_that_cannot_be_compared_is_not_a_proof(change: Callable[[Any], Any]) -> None:
    assert not prove_changed("square", change).holds


def test_a_rule_transposed_is_caught() -> None:
    def mirrored(gradient: Any) -> Any:
        is_square = gradient.ndim > 1 and gradient.shape[-1] == gradient.shape[-2]
        return np.swapaxes(gradient, -1, -2) if is_square else gradient

    assert not prove_changed("inv", mirrored).holds


@pytest.mark.parametrize(
    ("name", "oracle"),
    [
        *((name, COMPLEX_STEP) for name in ("cholesky", "sort")),
        *((name, f"{CAUCHY_RIEMANN}, {COMPLEX_STEP}") for name in ("exp", "matmul")),
        *((name, EXTENDED) for name in ("abs", "hypot", "var", "astype")),
    ],
)
def test_the_most_exact_method_that_applies_is_used(name: str, oracle: str) -> None:
    assert prove_row(name).oracle == oracle


def test_no_case_is_no_proof() -> None:
    assert not prove(find("exp"), []).holds


def test_calls_without_entries_are_counted_separately() -> None:
    op: Op = find("exp")
    empty = [
        case for case in draw_cases(op, DTYPE, 0, replace(EFFORT, signatures=64)) if not case.operands[0].size
    ]
    proof = prove(op, empty)
    assert (proof.cases, proof.empty, proof.error) == (0, len(empty), 0.0)
    assert empty
    assert not proof.holds


# ---- complex operands ------------------------------------------------------------------------------

NOT_HOLOMORPHIC = ("abs", "real", "conj", "vecdot", "vector_norm", "var", "softsign", "slogdet")


def prove_at_complex_operands(name: str, change: Callable[[Any], Any] = lambda gradient: gradient) -> Any:
    return prove_changed(name, change, COMPLEX_DTYPE, COMPLEX_EFFORT)


@pytest.mark.parametrize("name", NOT_HOLOMORPHIC)
def test_a_row_that_is_not_holomorphic_is_not_proven_at_complex_operands(name: str) -> None:
    assert Trait.HOLOMORPHIC not in find(name).traits
    assert not prove_at_complex_operands(name).holds


@pytest.mark.costly
@pytest.mark.parametrize("name", ["multiply", "exp", "matmul", "solve", "getitem", "split"])
@pytest.mark.parametrize(
    "change",
    [np.conj, lambda g: np.asarray(g.real, g.dtype), lambda g: g * (1 + np.longdouble(1e-9))],
    ids=["conjugated", "real part alone", "off by a billionth"],
)
def test_a_rule_wrong_at_complex_operands_is_caught(name: str, change: Callable[[Any], Any]) -> None:
    assert prove_at_complex_operands(name).holds
    assert prove_at_complex_operands(name, change).error > PROVEN
