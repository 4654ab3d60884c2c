"""A probe that needs a convention says what to declare where the engine keeps none of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from conformance_backends.numpy_backend import NumpyTape

from conformance.atlas.conventions import MeasuredConvention
from conformance.checks import load_all
from conformance.checks.registry import UndeclaredConvention
from conformance.clauses import STANDARD
from conformance.cli.pages.smoke_ops import contradictions
from conformance.questions.samples import OF_A_FAULT, OFFERED, CapabilityKind
from conformance.runfile.records import Verdict


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


def test_smoke_says_what_to_declare_where_freezing_drops_gradients() -> None:
    failures = {"none": "operand 0's gradient is None", "stored": "operand 1 got none"}
    *_, hint = contradictions(MeasuredConvention(STANDARD["C4"], None, (), failures=failures))
    assert hint.startswith(
        'hint: declare what array() makes beside a leaf: "none" where that gets no gradient'
    )
