"""An engine whose comparisons are always true, as objects without `__bool__` are: its loops do not hang the suite."""

from __future__ import annotations

from typing import Any

import pytest
from conformance_backends.numpy_backend import NumpyTape
from conformance_backends.numpy_engine.tensor import Tensor

from conformance.checks import load_all
from conformance.checks.sample import Sample
from conformance.errors import Violation


@pytest.mark.parametrize("name", ["loop", "recursion"])
def test_what_is_always_true_is_said(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    check = load_all()[f"contract/C7/{name}"]
    check.function(NumpyTape(), Sample(0, "float64"))
    always: Any = lambda self, other: object()  # noqa: E731
    monkeypatch.setattr(Tensor, "__gt__", always)
    with pytest.raises(
        Violation, match=r"bool\(x > 2\.0\) is True, where x is an array of the engine's that holds 1\.0"
    ):
        check.function(NumpyTape(), Sample(0, "float64"))
