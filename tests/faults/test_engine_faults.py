"""One bad question costs one answer, whatever it does: the faults are injected in process."""

from __future__ import annotations

import gc
import os
import resource
import signal
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conformance_backends.numpy_backend import NumpyTape

from conformance.errors import raise_ctrl_c
from conformance.questions import items_of
from conformance.run.execute import Executor
from conformance.run.process.surroundings import Surroundings
from conformance.runfile.jsonl import decode, encode
from conformance.runfile.texts import LONGEST
from conformance.strategies import Effort

from .engine_faults import FAULTS
from .fault import HIT, TANH, Fault, class_of, engine_with, forbidden

EFFORT = Effort(signatures=4, draws=1, samples=1, programs=1)
ITEMS = [
    item
    for item in items_of("faulty", ("float64",))
    if item.id.removeprefix("faulty/") in (HIT, "op/tanh/vjp/float64", "op/tanh/shape/float64")
]


@pytest.fixture(autouse=True)
def _kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> Any:
    """A folder of its own, and the process as it was."""
    monkeypatch.chdir(tmp_path)
    path = list(sys.path)
    handler = signal.signal(signal.SIGINT, raise_ctrl_c)  # as in a worker without xdist
    before = Surroundings()
    yield
    before.put_all_back()
    signal.signal(signal.SIGINT, handler)
    sys.path[:] = path


@pytest.mark.parametrize("fault", FAULTS, ids=str)
def test_a_fault_costs_one_answer(fault: Fault) -> None:
    folder, alarms = os.getcwd(), signal.getsignal(signal.SIGALRM)
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    executor = Executor(engine_with(fault.inject)(), seed=0, effort=EFFORT)
    results = {r.id.removeprefix("faulty/"): r for r in executor.results(ITEMS)}
    assert len(results) == len(ITEMS) == 3
    hit = results.pop(HIT)
    message = hit.evidence.message if hit.evidence else ""
    assert (hit.verdict, fault.says in message) == (fault.verdict, True), message[:2000]
    assert len(message) <= LONGEST + 100
    assert decode(encode(hit)) == hit
    assert {r.verdict for r in results.values()} == {"pass"}, results
    # Nothing is left behind for the next group.
    assert os.getcwd() == folder
    assert signal.getitimer(signal.ITIMER_REAL)[0] == 0
    assert signal.getsignal(signal.SIGALRM) is alarms
    assert np.geterr()["divide"] == "warn"
    assert resource.getrlimit(resource.RLIMIT_NOFILE) == limits
    assert gc.isenabled()
    assert "__main__" in sys.modules
    assert sys.gettrace() is None or "coverage" in repr(sys.gettrace())
    assert abs(-1.0) == np.abs(-1.0) == 1.0


def test_a_lowered_recursion_limit_is_put_back_before_a_failure_is_looked_at() -> None:
    before, limit = Surroundings(), sys.getrecursionlimit()
    sys.setrecursionlimit(limit - 100)
    before.put_back()
    assert sys.getrecursionlimit() == limit


def test_what_replaces_a_function_once_leaves_no_answer_of_that_question() -> None:
    replacements = iter([lambda x: x])

    def replace_once(x: Any) -> Any:
        for wrong in replacements:
            np.tanh, np.sum = wrong, wrong  # type: ignore[assignment]
        return TANH(x)

    executor = Executor(engine_with(replace_once)(), seed=0, effort=EFFORT)
    results = list(executor.results(ITEMS))
    assert np.sum is not np.tanh
    assert {r.verdict for r in results} == {"fail"}
    assert all("replaced numpy.sum, numpy.tanh" in r.evidence.message for r in results if r.evidence)


@pytest.mark.parametrize("odd", [lambda self: 3, forbidden], ids=["returns no text", "raises"])
def test_an_exception_whose_text_cannot_be_read_is_the_engines_in_every_question(odd: Any) -> None:
    error = class_of(__str__=odd)

    def op(x: Any) -> Any:
        raise error

    engine = type("Faulty", (NumpyTape,), {"ops": {**NumpyTape.ops, "tanh": op}, "__module__": __name__})
    asked = [i for i in items_of("faulty", ("float64",)) if i.id.startswith("faulty/op/tanh/")]
    results = list(Executor(engine(), seed=0, effort=EFFORT).results(asked))
    errors = [r for r in results if r.verdict not in ("unsupported", "undecided")]
    assert len(errors) > 10
    for result in errors:
        assert result.verdict == "error", result
        assert result.evidence
        assert result.evidence.message.startswith("Odd: (its text cannot be read: "), result.evidence.message
