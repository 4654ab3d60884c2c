"""An engine that a failure leaves broken is asked the other questions in another process."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conformance_backends.mutants.b_graph.accumulation import propagate_with
from conformance_backends.mutants.mutant import SteppedTape
from conformance_backends.numpy_backend import NumpyTape

from conformance.run.workers.soundness import gist_of

ADAPTER = '''
from conformance_backends.mutants.mutant import SteppedTape


class Spoilt(SteppedTape):
    """After an exception in a rule nothing is recorded any more, in the whole process."""

    engine = "spoilt"
    is_broken = False

    def backward(self, output, gradient=None, *, retain=False):
        if Spoilt.is_broken:
            return
        try:
            super().backward(output, gradient, retain=retain)
        except Exception:
            Spoilt.is_broken = True
            raise
'''
SPOILS = "spoilt/contract/B14/exception-in-rule"
# A backward pass fails in B12, too, which holds all the same.
CLAUSES = ("B10", "B11", "B12", "B13", "B14", "B15", "B16", "B18")
QUERIES = (*(part for clause in CLAUSES for part in ("-q", f"contract/{clause}")), "-q", "op/add/vjp")


@pytest.mark.costly
def test_a_failure_costs_the_questions_after_it_nothing(command: Any, tmp_path: Path) -> None:
    (tmp_path / "spoilt.py").write_text(ADAPTER, encoding="utf-8")
    done = command("run", tmp_path / "spoilt.py", *QUERIES, "-n", 1)
    assert done.run.is_complete, done.said
    failed = {i for i, v in done.verdicts.items() if v not in ("pass", "unsupported")}
    assert SPOILS in failed
    assert all("/B14/" in i or "/B18/" in i for i in failed), failed  # those that spoil it
    assert done.verdicts["spoilt/contract/B16/batch-is-sum"] == "pass"


SPOILING_OP = """
from conformance.errors import Unsupported
from conformance_backends.numpy_backend import NumpyTape

class Spoilt(NumpyTape):
    engine = "spoilt"
    dtypes = ("float64",)
    is_broken = False

    def checkpoint(self, function):
        Spoilt.is_broken = True
        raise ValueError("a checkpoint that fails, and leaves nothing as it was")

    def backward(self, output, gradient=None, *, retain=False):
        if not Spoilt.is_broken:
            super().backward(output, gradient, retain=retain)
"""


def test_what_spoils_an_engine_is_blamed_and_not_what_is_asked_with_it(command: Any, tmp_path: Path) -> None:
    (tmp_path / "spoilt.py").write_text(SPOILING_OP, encoding="utf-8")
    done = command("run", tmp_path / "spoilt.py", "-q", "op/tanh", "-n", 1)
    assert done.run.is_complete, done.said
    failed = {i for i, v in done.verdicts.items() if v not in ("pass", "unsupported", "undecided")}
    assert failed == {"spoilt/op/tanh/checkpointed/float64"}
    (line,) = (r for r in done.run.results if r.id in failed)
    assert line.evidence is not None
    assert "a checkpoint that fails" in line.evidence.message
    assert "its process was left" in line.evidence.unshrunk


def test_a_gist_is_the_same_while_the_engine_is() -> None:
    class Silent(NumpyTape):
        def backward(self, output: Any, gradient: Any = None, *, retain: bool = False) -> None:
            pass

    assert gist_of(NumpyTape()) == gist_of(NumpyTape())
    assert gist_of(NumpyTape()) != gist_of(Silent())


def test_a_gist_notices_an_engine_that_has_lost_one_dtype_or_the_sum_of_contributions() -> None:
    class Lost(SteppedTape):
        def accumulate(self, leaf: Any, arrived: Any) -> None:
            if leaf.dtype == np.float32:
                raise RuntimeError("could not execute a primitive")
            super().accumulate(leaf, arrived)

    class Unadded(SteppedTape):
        def traverse(self, edge: Any, cotangent: Any) -> Any:
            return propagate_with(lambda before, g: g, edge, cotangent)

    right = gist_of(SteppedTape())
    assert right == gist_of(SteppedTape())
    assert gist_of(Lost()) != right
    assert gist_of(Unadded()) != right


def test_a_gist_notices_an_engine_that_was_left_in_the_middle_of_a_recording() -> None:
    class Recording(NumpyTape):
        is_inside = False

        def vjp(self, *about: Any, **named: Any) -> Any:
            outputs, gradients = super().vjp(*about, **named)
            return outputs, [self.leaf(g) for g in gradients] if self.is_inside else gradients

        def numpy(self, array: Any) -> Any:
            return array if isinstance(array, np.ndarray) else super().numpy(array)

    engine = Recording()
    right = gist_of(engine)
    assert right == gist_of(engine)
    engine.is_inside = True
    assert gist_of(engine) != right


def test_an_engine_whose_ops_cannot_be_looked_up_has_an_answer() -> None:
    class Endless(NumpyTape):
        def op(self, name: str) -> Any:
            return self.op(name)

    assert gist_of(Endless()) == ("RecursionError",) * len(NumpyTape.dtypes)
