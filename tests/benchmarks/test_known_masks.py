"""Does the benchmark of the known failures see what an entry would hide?"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conformance_backends import numpy_engine as engine
from conformance_backends.numpy_backend import NumpyTape

from conformance.runfile.known import KnownFailure
from tests.benchmarks import known_masks

ID = "numpy/op/tanh/vjp/float64"
SAYS = "the gradient of operand * differs from the reference VJP"


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[known_masks.Asked]:
    """The questions of a tanh whose gradient is inaccurate."""
    off: Any = engine.custom(np.tanh, lambda g, x: [g * (1 + 3e-8) / np.cosh(x) ** 2])
    monkeypatch.setattr(NumpyTape, "ops", {**NumpyTape.ops, "tanh": off})
    known = tmp_path / "known.toml"
    known.write_text(f'[[known]]\nid = "{ID}"\nreason = "r"\nsays = "{SAYS}"\n')
    return known_masks.asked_of("numpy", (), "quick", 0, known)


def test_an_entry_hides_wrong_answers_that_one_with_an_error_does_not(asked: list[known_masks.Asked]) -> None:
    assert {one.id for one in asked} == {ID}
    errors = [one.failure.error for one in asked if one.failure]
    assert len(errors) > len(asked) / 2  # others have no digits that count
    assert max(errors) == pytest.approx(3e-8)
    assert all({*one.wrong} == {"doubled", "negated"} for one in asked)
    assert [one.wrong["doubled"].error for one in asked] == pytest.approx([1] * len(asked))
    *_, share = known_masks.report(asked, [KnownFailure(ID, "r", says=SAYS)])
    assert share == f"masked: {len(asked)} of {len(asked)} questions, 100.0%"
    entry, share = known_masks.report(asked, [KnownFailure(ID, "r", says=SAYS, within=1e-6)])
    assert share == f"masked: 0 of {len(asked)} questions, 0.0%"
    assert entry.startswith(f"0: explains {len(errors)}, off by 3e-08; hides 0 ")
