"""What a run waits for is said: an adapter that is imported, a worker that starts, a process that is stopped."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from conformance.cli.progress import Progress
from conformance.run import journal
from conformance.run.describe import describe_all
from conformance.run.keeper import STARTING, Watch


def test_an_adapter_that_hangs_while_it_is_imported_is_said_to_be_waited_for(
    adapters: Path, monkeypatch: Any, capsys: Any
) -> None:
    monkeypatch.setenv("CONFORMANCE_PATIENCE", "1.5")
    monkeypatch.setattr("conformance.run.describe.PAUSE", 0.4)
    spec = str(adapters / "hangs_at_import.py")
    (description,) = describe_all([spec])
    assert "did not start within 1.5 s" in description.line.error
    first, *more = capsys.readouterr().err.splitlines()
    assert first == f"conformance: waiting for the adapter {spec} to start, for 0 s; it is ended in 1 s"
    assert more


def test_a_worker_that_does_not_start_is_said_to_be_waited_for(tmp_path: Path, capsys: Any) -> None:
    progress = Progress()
    watch = Watch(tmp_path, 1.0, waiting=progress.waiting)
    for now in (1000.0, 1019.0, 1021.0):
        watch._say_if_long("gw0", now, 0.0, until=1120.0)
    assert capsys.readouterr().out == f"still waiting for {STARTING}, for 21 s; it is ended in 99 s\n"


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere nobody says what state a process is in")
def test_a_worker_that_is_stopped_is_said_to_be(tmp_path: Path) -> None:
    said: list[str] = []
    watch = Watch(tmp_path, 1.0, waiting=lambda *given: said.append(given[0]))
    (tmp_path / "gw0.now").write_bytes(journal.WHEN.pack(1300.0) + b"mine/x\0")
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as process:
        watch._say_if_long("gw0", 1000.0, 1300.0, pid=process.pid)
        watch._say_if_long("gw0", 1021.0, 1300.0, pid=process.pid)
        os.kill(process.pid, signal.SIGSTOP)
        for _ in range(100):
            time.sleep(0.05)
            if Path(f"/proc/{process.pid}/stat").read_text().split()[2] == "T":
                break
        watch._say_if_long("gw0", 1041.0, 1300.0, pid=process.pid)
        os.kill(process.pid, signal.SIGKILL)
    assert said == ["mine/x", "mine/x (its process is stopped, and goes on with SIGCONT)"]
