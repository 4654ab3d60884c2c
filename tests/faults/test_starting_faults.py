"""Ctrl-C while the command line starts ends it in a line."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from ..conformance.conftest import clean_environment

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
