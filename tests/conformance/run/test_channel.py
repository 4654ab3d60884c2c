"""What an engine writes to descriptors that are not its own damages no answer, or ends its worker, and hangs nothing."""

from __future__ import annotations

import signal
import sys
from pathlib import Path
from typing import Any

import pytest

from conformance.questions import items_of
from conformance.run import journal
from conformance.run.keeper import SILENT, Watch
from conformance.run.process.deadline import Limit
from conformance.run.workers.channel import CLOSED
from conformance.run.workers.deaths import NO_ANSWERS, Deaths
from conformance.runfile.records import Verdict

ITEM = next(iter(items_of("mine", ("float64",))))

WRITES = """
import os
from conformance_backends.numpy_backend import NumpyTape

class Writes(NumpyTape):
    def leaf(self, value):
        for number in range(1, 100):
            try:
                if number < 3 or os.readlink(f"/proc/self/fd/{number}").startswith("pipe:"):
                    os.write(number, b"garbage" * 3)
            except OSError:
                pass
        return super().leaf(value)
"""


@pytest.mark.costly
@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere nobody says what a descriptor is")
def test_an_engine_that_writes_to_every_low_descriptor_is_answered_for(command: Any, tmp_path: Path) -> None:
    (tmp_path / "writes.py").write_text(WRITES)
    done = command("run", "writes.py", "-q", "op/tanh/shape/*", "-n", 1, "--budget", "40s")
    assert done.code == 0, done.said
    assert set(done.verdicts.values()) == {"pass"}


def test_a_worker_that_has_nothing_to_do_while_others_are_at_work_is_silent(tmp_path: Path) -> None:
    watch = Watch(tmp_path, 1.0)
    now = tmp_path / "gw0.now"
    watch.add("gw0", None)
    assert not watch._is_silent("gw0", 1000.0, 0.0)
    assert not watch._is_silent("gw0", 2000.0, 0.0)  # it is starting
    watch.started("gw0")
    watch.add("gw1", None)
    assert not watch._is_silent("gw0", 3000.0, 0.0)  # another is starting, which it waits for
    watch.started("gw1")
    assert not watch._is_silent("gw0", 3001.0, 0.0)
    assert not watch._is_silent("gw0", 3000.0 + SILENT, 0.0)
    now.write_bytes(journal.WHEN.pack(0.0) + ITEM.id.encode() + b"\0")
    assert not watch._is_silent("gw0", 3002.0 + SILENT, 0.0)
    now.write_bytes(journal.WHEN.pack(0.0) + b"\0")
    assert not watch._is_silent("gw0", 3003.0 + SILENT, 0.0)
    assert watch._is_silent("gw0", 3004.0 + 2 * SILENT, 0.0)
    assert not watch._is_silent("gw0", 3005.0 + 2 * SILENT, 4000.0)  # it is asking


def test_a_silent_worker_is_a_crash_with_its_cause_and_not_somebody_elses_doing(tmp_path: Path) -> None:
    deaths = Deaths({ITEM.id: ITEM}, tmp_path, (), limit=Limit(2.0))
    result = deaths.result("gw0", ITEM.id, code=-signal.SIGKILL, is_overdue=False, is_silent=True)
    assert result is not None
    assert result.verdict is Verdict.CRASH
    assert result.evidence is not None
    assert result.evidence.message == NO_ANSWERS


def test_a_worker_that_ends_with_nothing_noted_costs_another_question_each_time(tmp_path: Path) -> None:
    items = [item for item in items_of("mine", ("float64",)) if item.group == ITEM.group]
    deaths = Deaths({item.id: item for item in items}, tmp_path, (), limit=Limit(2.0))
    given = [deaths.result(f"gw{n}", ITEM.id, code=0, is_overdue=False) for n in range(len(items))]
    assert {result.id for result in given if result} == {item.id for item in items}


CLOSES = """
import os
import numpy as np
from conformance_backends.numpy_backend import NumpyTape

def closing(x, y):
    os.closerange(0, 1024)
    return np.add(x, y)

class Closes(NumpyTape):
    ops = {"add": closing, "tanh": np.tanh}
"""


@pytest.mark.costly
@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the channel has no number of its own")
def test_an_op_that_closes_every_descriptor_is_a_crash_of_each_question_about_it(
    command: Any, tmp_path: Path
) -> None:
    (tmp_path / "closes.py").write_text(CLOSES)
    asked = [f"op/{name}/float64" for name in ("add/vjp", "add/dtype", "tanh/vjp")]
    done = command("run", "closes.py", *(part for query in asked for part in ("-q", query)), "-n", 1)
    assert done.code == 1, done.said
    assert done.verdicts == {f"closes/{name}": "pass" if "tanh" in name else "crash" for name in asked}, (
        done.said
    )
    evidence = done.result(f"closes/{asked[0]}").evidence
    assert evidence is not None
    assert CLOSED in evidence.message
