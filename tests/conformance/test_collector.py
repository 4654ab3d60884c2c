"""What is put into a collector is kept by the innermost block that is open, and nowhere outside."""

from __future__ import annotations

import threading

import pytest

from conformance.collector import Collector


def test_the_innermost_block_keeps_it() -> None:
    seen = Collector[int]("seen")
    seen.put(0)
    with seen() as outer:
        seen.put(1)
        with seen() as inner:
            seen.put(2)
        seen.put(3)
    seen.put(4)
    assert (outer, inner) == ([1, 3], [2])


def test_what_was_kept_so_far_can_be_dropped() -> None:
    seen = Collector[int]("seen")
    seen.clear()
    with seen() as kept:
        seen.put(1)
        seen.clear()
        seen.put(2)
    assert kept == [2]


def test_a_block_that_raises_is_closed() -> None:
    seen = Collector[int]("seen")
    with pytest.raises(ZeroDivisionError), seen() as kept:
        seen.put(1 // 0)
    seen.put(1)
    assert kept == []


def test_another_thread_keeps_its_own() -> None:
    seen = Collector[int]("seen")
    with seen() as kept:
        thread = threading.Thread(target=seen.put, args=(1,))
        thread.start()
        thread.join()
    assert kept == []
