"""Copies of a process that an op makes end where they come back to the suite, and nowhere else."""

import subprocess
import sys

import pytest

ENGINE = """
import multiprocessing
import os

made = []  # by this process and those that it is a copy of


def returns_twice(x):
    if len(made) < 3 and os.fork() == 0:
        made.append(os.getpid())
    return x


def raises_in_the_copy(x):
    if len(made) < 3 and os.fork() == 0:
        made.append(os.getpid())
        raise SystemExit(3)
    return x


def works_in_the_copy(x):
    context = multiprocessing.get_context("fork")
    queue = context.SimpleQueue()
    child = context.Process(target=lambda: queue.put(-x))
    child.start()
    child.join()
    return -queue.get()
"""
ASKED = """
import contextlib
import os
import engine
from conformance.parameters import with_parameters
from conformance.run.process import copies

ask = with_parameters("tanh", engine.{name}, {{}})
with copies.ended():
    pass
with copies.ended() if {is_watched} else contextlib.nullcontext():
    for _ in range(4):
        try:
            answer = ask(2.0)
        except BaseException:
            answer = None
        os.write(1, f"{{answer}}\\n".encode())
"""


def answers(folder, name: str, *, is_watched: bool) -> list[str]:
    """What all copies of a process that asks an op four times were given, as far as they say it."""
    (folder / "engine.py").write_text(ENGINE)
    asked = ASKED.format(name=name, is_watched=is_watched)
    done = subprocess.run(
        [sys.executable, "-c", asked], cwd=folder, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


@pytest.mark.parametrize("name", ["returns_twice", "raises_in_the_copy", "works_in_the_copy"])
def test_each_question_is_answered_once(tmp_path, name):
    assert answers(tmp_path, name, is_watched=True) == ["2.0"] * 4


@pytest.mark.parametrize("name", ["returns_twice", "raises_in_the_copy"])
def test_copies_ask_on_where_nobody_ends_them(tmp_path, name):
    assert len(answers(tmp_path, name, is_watched=False)) > 4
