"""Is a disturbed or impossible time marked, and a sound one not?"""

from __future__ import annotations

import os
import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pytest

from conformance.cli.benchmarks import devices, elsewhere, table_of
from conformance.runfile.records import TimingLine
from conformance.timing.measure import HAND_WRITTEN, measure
from conformance.timing.noise import Noise, impossible
from conformance.timing.rounds import Budget, Ratio, Rounds, ratio

from . import engines

SHORT = Budget(rounds=5, least=5, seconds=0.1, round_seconds=5e-3)
SOUND = Ratio(2.0, 1.8, 2.2)


def rounds(*seconds: float) -> Rounds:
    data = np.array(seconds)
    return Rounds("x", SimpleNamespace(data=data, min=data.min(), median=float(np.median(data))))


WAITING = """
import time
from conformance.timing.noise import Noise

noise = Noise()
with noise.watch():
    time.sleep(0.2)
assert noise.share < 0.5, noise
assert "% of a core" in noise.doubt, noise
"""


def test_a_process_that_waits_has_less_than_a_core() -> None:
    # A process of its own: a thread that another test left behind may be at work in this one.
    subprocess.run([sys.executable, "-c", WAITING], check=True)


def test_a_time_beside_busy_loops_on_every_core_says_that_it_is_not_to_be_trusted() -> None:
    cores = os.cpu_count() or 1
    loops = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(cores)]
    try:
        lines = list(
            measure([engines.Right()], reference="", budget=SHORT, workloads=["mlp"], sizes=["small"])
        )
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()
    assert all("the machine was busy" in line.doubt for line in lines)
    assert {line.backend for line in lines} == {HAND_WRITTEN, "right"}


@pytest.mark.parametrize(
    ("share", "spread", "is_doubtful"), [(1.0, 1.02, False), (0.6, 1.02, True), (1.0, 1.6, True)]
)
def test_a_busy_machine_makes_every_time_doubtful(share: float, spread: float, is_doubtful: bool) -> None:
    assert bool(Noise(share, 1.0, spread).doubt) is is_doubtful


def test_the_table_marks_a_doubtful_time_of_the_hand_written_form_too() -> None:
    doubtful = TimingLine("mlp", "1x4", HAND_WRITTEN, "float64", "forward", median=1e-5, doubt="busy")
    sound = TimingLine("mlp", "8x16", HAND_WRITTEN, "float64", "forward", median=1e-5)
    shown = list(table_of([doubtful, sound], "forward").columns[2].cells)
    assert shown == ["? 10 µs", "10 µs"]


def test_an_engine_that_computes_elsewhere_is_named_beside_the_table() -> None:
    backends = [engines.Right(), engines.Asynchronous()]
    assert devices(backends) == {"device of asynchronous": "gpu"}
    assert list(elsewhere(backends)) == [
        "device of asynchronous is gpu: its times are of that device, those of hand-written NumPy of the CPU"
    ]


def test_the_spread_is_that_of_the_fixed_loop() -> None:
    noise = Noise()
    noise.judge(rounds(1.0, 1.5, 2.0))
    assert noise.spread == 1.5


def test_a_gradient_cheaper_than_its_value_is_impossible() -> None:
    value = rounds(1.0, 1.1)
    assert "less time than its own value" in impossible(
        rounds(0.5, 0.6), value, SOUND, computes_with_numpy=False
    )
    assert impossible(rounds(2.0, 2.1), value, SOUND, computes_with_numpy=False) == ""
    assert impossible(rounds(0.5), None, SOUND, computes_with_numpy=False) == ""


def test_only_an_engine_that_computes_with_numpy_cannot_be_faster_than_it() -> None:
    faster = Ratio(0.06, 0.05, 0.07)
    assert "faster than NumPy by hand" in impossible(rounds(1.0), None, faster, computes_with_numpy=True)
    assert impossible(rounds(1.0), None, faster, computes_with_numpy=False) == ""


def test_an_interval_reaches_to_the_ratio_of_the_least_times() -> None:
    quiet, disturbed = rounds(1.0, 1.0, 1.0), rounds(2.0, 6.0, 6.0)
    found = ratio(disturbed, quiet, seed=0)
    assert found.low == 2.0
    assert found.value == 6.0
