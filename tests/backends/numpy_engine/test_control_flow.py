"""Loops and branches of the reference engine, told in a few numbers."""

from __future__ import annotations

import numpy as np
from conformance_backends.numpy_engine import Tensor, branch, scan, while_loop


def test_a_scan_stacks_its_outputs_and_sums_what_it_captures() -> None:
    w = Tensor(2.0, requires_grad=True)
    last, outputs = scan(lambda h, x: (h * w + x, h), Tensor(1.0), Tensor(np.array([1.0, 2.0])))
    assert last.value == 8  # (1 · 2 + 1) · 2 + 2
    assert outputs.value.tolist() == [1, 3]
    last.backward()
    assert w.grad == 5  # 2 w + 1


def test_a_scan_of_nothing_has_outputs_of_length_zero() -> None:
    last, outputs = scan(lambda h, x: (h, x[0]), Tensor(1.0), Tensor(np.zeros((0, 2, 3))))
    assert last.value == 1
    assert outputs.shape == (0, 3)


def test_a_loop_goes_on_while_its_condition_holds() -> None:
    x = Tensor(3.0, requires_grad=True)
    doubled = while_loop(lambda a: a < 20, lambda a: a * 2, x)
    doubled.backward()
    assert (doubled.value, x.grad) == (24, 8)


def test_a_branch_calls_one_function() -> None:
    for flag, expected in ((True, 4), (False, -2)):
        got = branch(Tensor(np.array(flag)), lambda a: a * a, lambda a: -a, [Tensor(2.0)])
        assert got.value == expected
