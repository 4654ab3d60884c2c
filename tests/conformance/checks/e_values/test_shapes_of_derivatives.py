"""A derivative of another shape than what it is of is the engine's, not an error of what compares it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from conformance.case import Case
from conformance.checks.e_values.higher_orders import gradient_is_differentiated_by_its_cotangent
from conformance.checks.observation import Observation, Oracle
from conformance.errors import Violation
from conformance.load import load_backend
from conformance.ops import find


def test_a_derivative_by_the_cotangent_without_entries_is_of_another_shape(monkeypatch: Any) -> None:
    engine = load_backend("numpy")
    x, w, g = np.arange(1.0, 4.0).reshape(1, 3), np.ones((2, 3)), np.array([[1.0, -2.0]])
    case = Case("matmul", (x, w.T.copy()), {}, (g,), ("C", "C", "C"), "float64")
    seen = Observation(engine, Oracle(find("matmul"), case))
    gradient_is_differentiated_by_its_cotangent(seen)
    right = engine.gradient
    monkeypatch.setattr(engine, "gradient", lambda *of: tuple(z[:0] for z in right(*of)), raising=False)
    with pytest.raises(Violation, match=r"by g has shape \(0, 2\), output 0 \(1, 2\)"):
        gradient_is_differentiated_by_its_cotangent(seen)
