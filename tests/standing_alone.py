"""Scripts run as `python script.py` would, each in a process of its own that begins with the engines imported.

An import of an engine takes longer than most scripts: the server, from which each process is forked, does it once.
"""

from __future__ import annotations

import importlib.util
import multiprocessing
import os
import runpy
import sys
import warnings
from pathlib import Path

ENGINES = ("torch", "jax", "jax.numpy", "autograd", "mygrad")
LONGEST = 300  # seconds


def run_alone(script: Path, into: Path) -> int | None:
    """Run a script, which writes what it prints `into` a file; returns its exit status, None if it did not end."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(
        [name for name in ENGINES if importlib.util.find_spec(name.partition(".")[0])]
    )
    process = context.Process(target=_main, args=(str(script), str(into)))
    process.start()
    process.join(LONGEST)
    process.kill()
    process.join()
    return process.exitcode


def _main(script: str, into: str) -> None:
    output = os.open(into, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(output, 1)
    os.dup2(output, 2)
    sys.stdout, sys.stderr = (open(number, "w", buffering=1, closefd=False) for number in (1, 2))  # noqa: SIM115
    warnings.resetwarnings()
    sys.argv = [script]
    runpy.run_path(script, run_name="__main__")
    sys.stdout.flush()
