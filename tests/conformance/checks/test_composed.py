"""An adapter that makes its gradient argument of ops is refused in a no_grad scope; an engine that refuses every backward pass there is found."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

ADAPTER = """
import numpy as np
from conformance_backends.numpy_backend import NumpyTape


class Mine(NumpyTape):
    engine = "mine"
    dtypes = ("float64",)
    refuses_all = {refuses_all}

    def backward(self, output, gradient=None, *, retain=False):
        if gradient is not None:
            if gradient.shape != output.shape:
                raise ValueError("a cotangent of another shape")
            output = self.ops["sum"](self.ops["multiply"](output, gradient), axis=None, keepdims=False)
        if output.edge is None:
            raise RuntimeError("backward() of a constant")
        if self.refuses_all and not is_recording():
            raise RuntimeError("backward() in a no_grad scope")
        super().backward(output, retain=retain)


from conformance_backends.numpy_engine.graph import is_recording
"""
QUESTIONS = ("-q", "contract/C1/no-grad-outlasts", "-q", "history/tape")


def asked(command: Any, folder: Path, *, refuses_all: bool) -> Any:
    (folder / "mine.py").write_text(ADAPTER.format(refuses_all=refuses_all), encoding="utf-8")
    return command("run", folder / "mine.py", *QUESTIONS, "-n", 1)


def test_a_gradient_argument_of_ops_is_no_failure_of_a_scope(command: Any, tmp_path: Path) -> None:
    done = asked(command, tmp_path, refuses_all=False)
    assert set(done.verdicts.values()) == {"pass"}, done.said


@pytest.mark.costly
def test_a_backward_pass_that_no_scope_allows_is_one(command: Any, tmp_path: Path) -> None:
    done = asked(command, tmp_path, refuses_all=True)
    assert "pass" not in done.verdicts.values(), done.said
