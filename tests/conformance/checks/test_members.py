"""What a check about all ops asks of an engine that has few of them."""

from __future__ import annotations

from typing import Any, ClassVar

import pytest
from conformance_backends.numpy_backend import NumpyTape

from conformance.checks import members
from conformance.checks.sample import Sample
from conformance.ops import CATALOGUE


class Few(NumpyTape):
    """Has ops that stand far apart in the catalogue."""

    ops: ClassVar[dict[str, Any]] = {name: NumpyTape.ops[name] for name in list(CATALOGUE)[::40]}


def test_calls_are_drawn_of_the_ops_alone_that_the_engine_has(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[str] = []
    call_of = members.call_of

    def noted(op: Any, *of: Any) -> Any:
        drawn.append(op.name)
        return call_of(op, *of)

    monkeypatch.setattr(members, "call_of", noted)
    samples = [Sample(seed, "float64", "contract/B1/output-uses") for seed in range(100, 100 + members.PARTS)]
    asked = [m.op.name for sample in samples for m in members.members(Few(), sample, is_built=False)]
    assert sorted(asked) == sorted(drawn) == sorted(Few.ops)
