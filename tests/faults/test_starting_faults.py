"""Ctrl-C, or another signal, while the command line starts ends it in a line."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from ..conformance.conftest import clean_environment

PROJECT = Path(__file__).parents[2] / "pyproject.toml"
pytestmark = pytest.mark.costly

# Where the first module of the command line is imported, the signal comes.
INTERRUPTED = """
import runpy, sys

class Interrupting:
    def find_spec(self, name, path=None, target=None):
        if name == "conformance.cli.settings":
            raise KeyboardInterrupt

sys.meta_path.insert(0, Interrupting())
sys.argv = ["conformance", "--version"]
runpy.run_module("conformance", run_name="__main__", alter_sys=True)
"""


def test_ctrl_c_while_modules_are_imported_is_said_in_a_line(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-P", "-c", INTERRUPTED],
        cwd=tmp_path,
        env=clean_environment(),
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr) == (2, "conformance: interrupted\n")


# As an installed script does it, with the signal where the first module of the command line is imported.
SIGNALLED = """
import os, sys

class Signalling:
    def find_spec(self, name, path=None, target=None):
        if name == "conformance.cli.settings":
            os.kill(os.getpid(), {number})

sys.meta_path.insert(0, Signalling())
sys.argv = ["conformance", "--version"]
from {module} import {function}
sys.exit({function}())
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_while_the_script_imports_modules_is_said_in_a_line(
    number: signal.Signals, tmp_path: Path
) -> None:
    script = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]["scripts"]["conformance"]
    module, _, function = script.partition(":")
    done = subprocess.run(
        [sys.executable, "-P", "-c", SIGNALLED.format(number=int(number), module=module, function=function)],
        cwd=tmp_path,
        env=clean_environment(),
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr) == (2, "conformance: interrupted\n")


HANGS = """
import os, pathlib, time
pathlib.Path({noted!r}).write_text(str(os.getpid()))
while True:
    time.sleep(0.1)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="other systems tell no process that its parent has ended")
def test_a_command_that_is_killed_leaves_no_process_in_which_an_adapter_hangs(tmp_path: Path) -> None:
    noted, adapter = tmp_path / "process", tmp_path / "hangs.py"
    adapter.write_text(HANGS.format(noted=str(noted)), encoding="utf-8")
    command = subprocess.Popen(
        [sys.executable, "-P", "-m", "conformance", "run", str(adapter), "-q", "op/add"],
        cwd=tmp_path,
        env=clean_environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    wait_until(lambda: noted.exists() and noted.read_text(encoding="utf-8") != "")
    child = int(noted.read_text(encoding="utf-8"))
    command.kill()
    command.wait()
    try:
        wait_until(lambda: not is_running(child))
    finally:
        if is_running(child):
            os.kill(child, signal.SIGKILL)


def is_running(process: int) -> bool:
    """Whether a process is there, and is no zombie that nobody has asked for its end."""
    try:
        status = Path(f"/proc/{process}/stat").read_text(encoding="utf-8")
    except OSError:
        return False
    return status.rpartition(")")[2].split()[0] != "Z"


def wait_until(holds: Callable[[], bool], seconds: float = 60.0) -> None:
    """Wait for something, which must come in time."""
    until = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < until, "it did not come"
        time.sleep(0.05)
