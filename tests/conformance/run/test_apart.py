"""Work in a process of its own: what it sends, how it ends, and that its end is one finding."""

from __future__ import annotations

import atexit
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import conformance
from conformance.atlas.conventions_process import try_conventions
from conformance.load import load_backend
from conformance.run import mapping_process
from conformance.run.mapped.findings import MappedOp
from conformance.run.process.apart import Ended, messages_of

pytestmark = pytest.mark.costly

ENDS = """
import os
import numpy as np
from conformance_backends.numpy_backend import NumpyTape

class Ends(NumpyTape):
    name = "ends"
    conventions = {"A2": "refused"}

    def backward(self, output, gradient=None, *, retain=False):
        if gradient is not None and gradient.shape != output.shape:
            os.abort()
        super().backward(output, gradient, retain=retain)
"""


def three(send: Callable[[Any], None], how: str) -> None:
    for number in range(3):
        send(number)
    if how == "aborts":
        os.abort()
    if how == "ignores signals and hangs":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        time.sleep(60)


@pytest.mark.parametrize(
    ("how", "said"),
    [("aborts", "the engine ended the process [(]SIGABRT[)]"), ("ignores signals and hangs", "no answer within 1.5 seconds")],
)  # fmt: skip
def test_what_was_sent_arrives_before_the_end(how: str, said: str) -> None:
    found: list[Any] = []
    with pytest.raises(Ended, match=said):
        found.extend(messages_of(three, how, silence=1.5) if how != "aborts" else messages_of(three, how))
    assert [*messages_of(three, "returns")] == [0, 1, 2]


def ends_at_the_exit(send: Callable[[Any], None]) -> None:
    atexit.register(os.abort)
    print("written before the exit")
    send("done")


def test_an_engine_that_crashes_at_the_exit_has_given_every_answer() -> None:
    words: list[str] = []
    assert [*messages_of(ends_at_the_exit, heard=words.append)] == ["done"]
    assert "written before the exit" in "".join(words)


def talks(send: Callable[[Any], None]) -> None:
    print("a warning", flush=True)
    os.write(2, b"another, of C\n")
    send("done")


def test_what_an_engine_writes_to_the_terminal_is_heard_at_the_end(capfd: pytest.CaptureFixture[str]) -> None:
    words: list[str] = []
    assert [*messages_of(talks, heard=words.append)] == ["done"]
    assert "".join(words).splitlines() == ["a warning", "another, of C"]
    assert capfd.readouterr() == ("", "")


def test_an_engine_that_ends_the_process_costs_one_convention(tmp_path: Path) -> None:
    file = tmp_path / "ends.py"
    file.write_text(ENDS, encoding="utf-8")
    found = {
        m.clause.number: m
        for m in try_conventions(load_backend(str(file)), str(file), *2 * [lambda text: None])
    }
    assert found["A4"].reason.startswith("the engine ended the process (SIGABRT), in contract/A4/")
    assert found["A2"].is_settled
    assert found["B3"].found == ("accumulates",)
    assert not found["B3"].reason


SPAWNS = """
import sys
sys.path[:] = [place for place in sys.path if place]  # as the script that pip installs for our commands
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from conformance.run.process.apart import messages_of
from conformance.run.process.spawned import safe_path

def answers(send):
    send("here")

if __name__ == "__main__":
    assert [*messages_of(answers)] == ["here"]
    with safe_path(), ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        assert pool.submit(abs, -1).result() == 1
"""


def test_a_process_apart_imports_nothing_of_the_working_folder(tmp_path: Path) -> None:
    working, script = tmp_path / "working", tmp_path / "elsewhere" / "spawns.py"
    for folder in (working, script.parent):
        folder.mkdir()
    script.write_text(SPAWNS)
    for name in ("socket", "pickle", "random", "tempfile"):
        (working / f"{name}.py").write_text("open('loaded', 'w').close()\nraise SystemExit(9)\n")
    done = subprocess.run(
        [sys.executable, str(script)],
        cwd=working,
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert not (working / "loaded").exists()


def test_every_helper_process_is_started_so_that_the_working_folder_holds_no_module() -> None:
    root = Path(conformance.__file__).parent
    sources = {path: path.read_text(encoding="utf-8") for path in root.rglob("*.py")}
    starts = re.compile(r"sys\.executable,\s*\"-(\w)\"")
    flags = {(path.name, flag) for path, text in sources.items() for flag in starts.findall(text)}
    assert len(flags) > 3
    assert {flag for _, flag in flags} == {"P"}
    for path, text in sources.items():
        assert 'get_context("spawn")' not in text or "safe_path()" in text, path


INTERRUPTED = """
import os, signal, sys, time
from conformance.run.process.apart import messages_of
from conformance.run.process.spawned import pool_of

def answer(send):
    send(signal.getsignal(signal.SIGINT) is signal.SIG_IGN)

def ignores(number):
    time.sleep(1)  # so that each process has one
    return signal.getsignal(signal.SIGINT) is signal.SIG_IGN

if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs ignore it
    assert [*messages_of(answer)] == [True]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    signal.signal(signal.SIGALRM, lambda *_: os.killpg(0, signal.SIGINT))
    with pool_of(2) as pool:
        assert {*pool.map(ignores, range(2))} == {True}, "each is started so that it ignores Ctrl-C"
    try:
        with pool_of(2) as pool:
            found = [pool.submit(time.sleep, 60) for _ in range(9)]
            signal.setitimer(signal.ITIMER_REAL, 0.05)  # the processes are importing
            found[0].result()
    except KeyboardInterrupt:
        sys.exit("interrupted")
"""


def test_ctrl_c_ends_helper_processes_without_a_word_of_theirs(tmp_path: Path) -> None:
    (tmp_path / "interrupted.py").write_text(INTERRUPTED)
    done = subprocess.run(
        [sys.executable, "interrupted.py"],
        cwd=tmp_path,
        capture_output=True,
        encoding="utf-8",
        timeout=30,
        check=False,
        start_new_session=True,
    )
    assert (done.returncode, done.stderr) == (1, "interrupted\n")


def test_an_op_of_which_one_call_hangs_is_tried_in_its_other_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    """A large call may take too long, and the others be right; of two that hang each was waited for, which is enough."""
    hanging: list[str] = []

    def messages_of(work: Any, spec: str, dtype: str, names: Any, deadly: Any, heard: Any) -> Iterator[Any]:
        yield names[0]
        for call in hanging:
            if call not in deadly.get(names[0], {}):
                yield call
                raise Ended("no answer within 60 seconds", is_hang=True)
        yield MappedOp(names[0], 4)

    monkeypatch.setattr(mapping_process, "messages_of", messages_of)
    backend = load_backend("numpy")
    tried = partial(mapping_process.try_ops, backend, "numpy", "float64", ["solve"], print, print)
    hanging.append("solve (33,33)")
    assert list(tried()) == [MappedOp("solve", 4)]
    hanging.append("solve (5,5)")
    (given_up,) = tried()
    assert [finding.call for finding in given_up.refused] == hanging
