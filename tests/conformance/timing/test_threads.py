"""One thread for everybody: settings are made before libraries read them."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest


def in_a_new_process(script: str) -> object:
    """What `script` prints, from a process in which nothing has been imported or set."""
    environment = {name: value for name, value in os.environ.items() if not name.endswith("_NUM_THREADS")}
    done = subprocess.run(
        [sys.executable, "-c", f"import json, os, sys\nfrom conformance.timing import threads\n{script}"],
        capture_output=True,
        text=True,
        check=True,
        env=environment,
    )
    return json.loads(done.stdout)


def test_nothing_is_imported_that_would_start_threads() -> None:
    assert in_a_new_process("print(json.dumps('numpy' in sys.modules))") is False


def test_every_library_is_set_to_one_thread() -> None:
    script = "p = threads.pin()\nprint(json.dumps([p['threads'], [os.environ[n] for n in threads.SETTINGS]]))"
    threads, settings = in_a_new_process(script)
    assert threads == "1"
    assert set(settings) == {"1"}


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="this system has no affinity")
def test_the_process_keeps_to_one_core() -> None:
    core, cores = in_a_new_process(
        "p = threads.pin()\nprint(json.dumps([p['core'], list(os.sched_getaffinity(0))]))"
    )
    assert [core] == [str(c) for c in cores]


def test_pinning_too_late_is_said() -> None:
    assert "started before" in in_a_new_process("import numpy\nprint(json.dumps(threads.pin()['threads']))")


def test_settings_made_outside_are_early_enough() -> None:
    made = "os.environ.update(dict.fromkeys(threads.SETTINGS, '1'))\nimport numpy\n"
    assert in_a_new_process(made + "print(json.dumps(threads.pin()['threads']))") == "1"
