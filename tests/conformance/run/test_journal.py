"""What is left of a worker that died."""

from __future__ import annotations

from pathlib import Path

from conformance.run.journal import last_words, was_timeout

WORDS = """Fatal Python error: Segmentation fault

Thread 0x00007f2ef91ff6c0 (most recent call first):
  File "/v/lib/python3.11/site-packages/execnet/gateway_base.py", line 534 in read
  File "/v/lib/python3.11/site-packages/execnet/gateway_base.py", line 411 in _perform_spawn

Current thread 0x00007f2efa4a8b80 (most recent call first):
  File "/v/lib/python3.11/site-packages/engine/api.py", line 1805 in run
  File "/v/lib/python3.11/site-packages/execnet/gateway_base.py", line 1291 in serve
"""


def test_a_thread_that_waits_for_messages_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "gw0.words").write_text(WORDS)
    words = last_words(tmp_path, "gw0")
    assert words.startswith("Fatal Python error: Segmentation fault\n\nCurrent thread")
    assert "engine/api.py" in words
    assert "in _perform_spawn" not in words
    assert last_words(tmp_path, "gw1") == ""


def test_that_the_time_is_over_is_kept(tmp_path: Path) -> None:
    (tmp_path / "gw0.words").write_text(
        WORDS.replace("Fatal Python error: Segmentation fault\n", "Timeout (0:00:05)!")
    )
    words = last_words(tmp_path, "gw0")
    assert was_timeout(words)
    assert words.startswith("Timeout (0:00:05)!\n\nCurrent thread")
