"""How a process ended: its signal has a name, and its traceback is of the engine and its adapter."""

from __future__ import annotations

import signal
import sysconfig

import pytest

import conformance.ops.elementwise as rules
import conformance.oracle.rounding as oracle
import conformance.run.tally as ours
from conformance.run.process.ends import INNERMOST, beginning, is_of_oracle, manner, without_our_frames

STDLIB = sysconfig.get_path("stdlib")
PYTEST = "/somewhere/lib/python3.11/site-packages/_pytest/runner.py"
HEAD = "Fatal Python error: Aborted\n\nCurrent thread 0x7f (most recent call first):"


def frames(*files: str) -> str:
    return "".join(f'\n  File "{file}", line {n} in f' for n, file in enumerate(files))


@pytest.mark.parametrize(
    ("code", "said"),
    [
        (None, ""),
        (0, "exit 0"),
        (7, "exit 7"),
        (-signal.SIGSEGV, "SIGSEGV"),
        (-signal.SIGKILL, "SIGKILL, perhaps for want of memory"),
        (-1000, "signal 1000"),
    ],
)
def test_the_manner_of_an_end_names_the_signal_or_the_exit_code(code: int | None, said: str) -> None:
    assert manner(code) == said


def test_the_frames_that_only_lead_to_an_engine_are_left_out() -> None:
    engine = frames("/a/adapter.py", ours.__file__, "/a/engine.py")
    words = HEAD + engine + frames(ours.__file__, f"{STDLIB}/functools.py", PYTEST, "<frozen runpy>")
    assert without_our_frames(words) == f"{HEAD}{engine}\n  … and 4 frames of this suite and of what runs it"


def test_of_a_thread_without_a_frame_of_an_engine_the_innermost_are_kept() -> None:
    words = HEAD + frames(*[ours.__file__] * 5)
    kept = HEAD + frames(*[ours.__file__] * INNERMOST)
    assert without_our_frames(words) == f"{kept}\n  … and 2 frames of this suite and of what runs it"


def test_what_follows_the_frames_and_another_thread_stay() -> None:
    words = f"Timeout (0:00:02)!\nThread 0x1:{frames('/a/engine.py')}\n\nExtension modules: a, b (total: 2)"
    assert without_our_frames(words) == words
    assert without_our_frames("") == ""


@pytest.mark.parametrize(
    ("text", "said"),
    [("ab\ncd\nef", "ab\ncd"), ("ab\ncd", "ab\ncd"), ("ab\ncde", "ab"), ("abcdefgh", "abcde")],
)
def test_a_text_is_cut_at_the_end_of_a_line(text: str, said: str) -> None:
    assert beginning(text, 5) == said


NUMPY = "/somewhere/lib/python3.11/site-packages/numpy/_core/numeric.py"


@pytest.mark.parametrize(
    ("files", "is_ours"),
    [
        ((oracle.__file__, ours.__file__), True),
        ((NUMPY, rules.__file__, oracle.__file__, ours.__file__), True),
        ((ours.__file__, PYTEST), False),  # an engine's function may be one of C, without a frame
        ((NUMPY, rules.__file__, "/a/engine.py", ours.__file__), False),
        ((NUMPY, "/a/engine.py", oracle.__file__), False),
        ((), False),
    ],
)
def test_what_computes_expected_numbers_is_no_engine(files: tuple[str, ...], is_ours: bool) -> None:
    other = "\n\nThread 0x8e (most recent call first):" + frames(f"{STDLIB}/threading.py")
    assert is_of_oracle(HEAD + frames(*files) + other) is is_ours
