"""Ctrl-C, or another signal, while the command line starts ends it in a line."""

from __future__ import annotations

import signal
import subprocess
import sys
import tomllib
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
