"""Evidence is kept where a part of it cannot be had."""

from __future__ import annotations

from typing import Any

import pytest
from conformance_backends.mutants import MUTANTS

from conformance.questions import items_of
from conformance.run import evidence
from conformance.run.execute import Executor
from conformance.runfile.records import Verdict
from conformance.strategies import Effort

EFFORT = Effort(signatures=1, draws=1, samples=1, programs=1)


def test_a_script_that_takes_too_much_memory_is_left_out_and_nothing_else(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def script_of(*given: Any) -> str:
        raise MemoryError

    monkeypatch.setattr(evidence, "script_of", script_of)
    mutant = next(m for m in MUTANTS if m.name == "declares-replacing-accumulates")
    backend = mutant.make()
    items = [i for i in items_of(backend.name, ("float64",)) if "/contract/B3/" in i.id]
    results = Executor(backend, seed=0, effort=EFFORT).results(items)
    failed = [result for result in results if result.verdict is Verdict.FAIL]
    assert failed
    for result in failed:
        assert result.evidence is not None
        assert "could not be written down" not in result.evidence.message
        assert result.evidence.token
        assert not result.evidence.script
