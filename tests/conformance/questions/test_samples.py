"""A probe that needs a convention says what to declare where the engine keeps none of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import pytest
from conformance_backends.numpy_backend import NumpyTape

from conformance.atlas.conventions import MeasuredConvention
from conformance.checks import load_all
from conformance.checks.registry import UndeclaredConvention
from conformance.checks.sample import Sample
from conformance.clauses import STANDARD
from conformance.cli.pages.smoke_ops import contradictions
from conformance.errors import Unsupported
from conformance.questions.samples import OF_A_FAULT, OFFERED, CapabilityKind
from conformance.runfile.records import Verdict

from ..run.test_claims_inside import Functional


class Undeclared(NumpyTape):
    """It does not say whether its engine marks constants."""

    conventions: ClassVar[Mapping[str, str]] = {k: v for k, v in NumpyTape.conventions.items() if k != "C4"}


def test_a_probe_without_its_convention_says_to_declare_the_one_that_is_meant() -> None:
    probe = load_all()["capability/freezing"]
    undeclared = str(UndeclaredConvention("C4", None))
    verdict, message = CapabilityKind().verdict(probe, Undeclared(), Verdict.UNSUPPORTED, undeclared)
    assert verdict is Verdict.FAIL
    assert message.endswith(OF_A_FAULT)
    _, message = CapabilityKind().verdict(probe, Undeclared(), Verdict.UNSUPPORTED, "no such flag")
    assert message.endswith(OFFERED)


class Few(NumpyTape):
    """It names the two ops that every adapter has."""

    ops: ClassVar[Mapping[str, Any]] = {name: NumpyTape.ops[name] for name in ("add", "multiply")}


class FewFunctional(Functional):
    """The same of an engine of functions."""

    ops: ClassVar[Mapping[str, Any]] = Few.ops


@pytest.mark.parametrize("name", ["tape", "retaining", "deep", "graph", "complex", "intermediates"])
def test_a_probe_needs_no_op_but_those_that_every_adapter_has(name: str) -> None:
    load_all()[f"capability/{name}"].function(Few(), Sample(0, "float64"))
    if name in ("retaining", "deep", "complex"):
        load_all()[f"capability/{name}"].function(FewFunctional(), Sample(0, "float64"))


def test_a_probe_whose_op_is_not_named_is_unsupported_and_names_it() -> None:
    asked = 0
    for check in load_all().values():
        if check.kind != "capability":
            continue
        try:
            check.function(Few(), Sample(0, "float64"))
        except Unsupported as why:
            asked += 1
            verdict, message = CapabilityKind().verdict(check, Few(), Verdict.UNSUPPORTED, str(why))
            assert verdict is Verdict.UNSUPPORTED, check.key
            assert f"the adapter of numpy names no {'tanh' if check.name == 'anomaly' else ''}" in message
    assert asked


def test_an_op_that_is_named_and_not_offered_is_no_excuse() -> None:
    probe, said = load_all()["capability/jacobians"], "the adapter of numpy names no sum"
    verdict, _ = CapabilityKind().verdict(probe, NumpyTape(), Verdict.UNSUPPORTED, said)
    assert verdict is Verdict.FAIL


def test_smoke_says_what_to_declare_where_freezing_drops_gradients() -> None:
    failures = {"none": "operand 0's gradient is None", "stored": "operand 1 got none"}
    *_, hint = contradictions(MeasuredConvention(STANDARD["C4"], None, (), failures=failures))
    assert hint.startswith(
        'hint: declare what array() makes beside a leaf: "none" where that gets no gradient'
    )
