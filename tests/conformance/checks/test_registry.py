"""A check is registered once, under a key that tells what it is asked about, and asked of nobody else."""

from __future__ import annotations

from typing import Any

import pytest
from conformance_backends.numpy_backend import NumpyTape

from conformance.backend import Capability
from conformance.checks import CHECKS, load_all
from conformance.checks.registry import Check, contract, declared_convention
from conformance.errors import Unsupported
from conformance.strategies import Effort

load_all()


def claim(*_: Any) -> None:
    """Something holds."""


@pytest.mark.parametrize("check", load_all().values(), ids=lambda check: check.key)
def test_a_key_begins_with_what_the_check_is_asked_about(check: Check) -> None:
    assert check.key.split("/")[0] == check.kind
    assert CHECKS[check.key] is check


def test_two_checks_of_one_name_are_refused() -> None:
    with pytest.raises(ValueError, match="two checks are called contract/A1/scalar-seed"):
        contract("A1", "scalar-seed")(claim)


def test_what_a_backend_does_not_declare_it_is_not_asked() -> None:
    check = Check("mine", "D7", "contract", claim, frozenset({Capability.COMPILING}))
    with pytest.raises(Unsupported, match="numpy does not declare compiling"):
        check.require(NumpyTape())
    Check("mine", "D7", "contract", claim, frozenset({Capability.TAPE})).require(NumpyTape())


def test_a_sparing_check_is_decided_by_a_few_signatures() -> None:
    effort = Effort(signatures=8, draws=3, samples=1, programs=1)
    assert load_all()["op/vjp"].enough("float64", effort) == float("inf")
    assert load_all()["op/mixed-dtype"].enough("float64", effort) == 2
    halves = load_all()["op/half-precision"]
    assert halves.enough("float16", effort) == float("inf")
    assert halves.enough("bfloat16", effort) == 6


def test_a_declared_convention_is_one_of_the_clauses_own() -> None:
    backend = NumpyTape()
    assert declared_convention(backend, "D6") == "copies"
    for conventions, declared in (({}, "declares no convention"), ({"D6": "both"}, "declares 'both'")):
        backend.conventions = conventions
        with pytest.raises(Unsupported, match=f"{declared} for D6; the conventions are views, copies"):
            declared_convention(backend, "D6")
