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
    of_constant = {of_constant!r}
    scaled = {scaled}

    def backward(self, output, gradient=None, *, retain=False):
        if gradient is not None:
            if gradient.shape != output.shape:
                raise ValueError("a cotangent of another shape")
            output = self.ops["sum"](self.ops["multiply"](output, gradient), axis=None, keepdims=False)
        if output.edge is None or (self.of_constant == "nothing at all" and not is_recording()):
            if self.of_constant:
                return self.amiss()
            raise RuntimeError("backward() of a constant")
        if self.refuses_all and not is_recording():
            raise RuntimeError("backward() in a no_grad scope")
        super().backward(output, retain=retain)

    def leaf(self, value):
        made = super().leaf(value)
        self.leaves = [*getattr(self, "leaves", ()), made]
        return made

    def amiss(self):
        if self.scaled:
            for leaf in self.leaves:
                if leaf.grad is not None:
                    leaf.grad = leaf.grad * 2


from conformance_backends.numpy_engine.graph import is_recording
"""
QUESTIONS = ("-q", "contract/C1/no-grad-outlasts", "-q", "history/tape")


def asked(
    command: Any, folder: Path, *, refuses_all: bool = False, of_constant: str = "", scaled: bool = False
) -> Any:
    text = ADAPTER.format(refuses_all=refuses_all, of_constant=of_constant, scaled=scaled)
    (folder / "mine.py").write_text(text, encoding="utf-8")
    return command("run", folder / "mine.py", *QUESTIONS, "-n", 1)


@pytest.mark.parametrize("of_constant", ["", "nothing"])
def test_a_gradient_argument_of_ops_is_no_failure_of_a_scope(
    command: Any, tmp_path: Path, of_constant: str
) -> None:
    """An engine may refuse the backward pass of what no scope recorded, or do nothing."""
    done = asked(command, tmp_path, of_constant=of_constant)
    assert set(done.verdicts.values()) == {"pass"}, done.said


@pytest.mark.costly
def test_a_backward_pass_that_no_scope_allows_is_one(command: Any, tmp_path: Path) -> None:
    done = asked(command, tmp_path, refuses_all=True)
    assert "pass" not in done.verdicts.values(), done.said


def test_wrong_numbers_after_such_a_pass_are_a_failure(command: Any, tmp_path: Path) -> None:
    done = asked(command, tmp_path, of_constant="nothing", scaled=True)
    assert done.verdicts["mine/history/tape"] == "fail", done.said


def test_a_pass_that_does_nothing_in_a_scope_is_one_where_it_does_without_an_argument(
    command: Any, tmp_path: Path
) -> None:
    """No weighted sum of the adapter's is why, then."""
    done = asked(command, tmp_path, of_constant="nothing at all")
    assert done.verdicts["mine/history/tape"] == "fail", done.said
