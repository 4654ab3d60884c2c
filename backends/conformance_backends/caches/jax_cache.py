"""jax's persistent compilation cache: what XLA compiled in one process is loaded by the next.

A hit still traces and lowers, and gives the same machine code as compiling. Some processors refuse their own
entries (github.com/jax-ml/jax/issues/38445): a trial notices that.
"""

from __future__ import annotations

from collections import Counter
from functools import cache
from typing import Any

import jax
import jax.numpy as jnp

HIT = "/jax/compilation_cache/cache_hits"


def keep_compiled(folder: str) -> str:
    """Have jax keep compiled functions in a folder, unless its user has chosen one; returns why they are refused, if so."""
    if jax.config.jax_compilation_cache_dir not in (None, folder):
        return ""
    for name, value in (
        ("jax_compilation_cache_dir", folder),
        ("jax_persistent_cache_min_compile_time_secs", 0.0),
        ("jax_persistent_cache_min_entry_size_bytes", -1),
    ):
        jax.config.update(name, value)
    return "" if is_loaded_again() else "jax does not load again what it compiled on this processor"


def is_loaded_again() -> bool:
    """Whether a function that is compiled twice is loaded from the cache the second time."""
    before = _hits().total()
    for _ in range(2):
        jax.jit(lambda x: jnp.sin(x) + 1).lower(jnp.float32(0)).compile()
    return _hits().total() > before


@cache
def _hits() -> Counter[str]:
    """How often something was loaded, from now on: a listener that stays, because older releases remove none."""
    counted: Counter[str] = Counter()

    def note(event: str, **_: Any) -> None:
        if event == HIT:
            counted[event] += 1

    jax.monitoring.register_event_listener(note)
    return counted
