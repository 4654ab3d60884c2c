"""What jax compiled is loaded again, damaged entries are compiled again, and a refusal is noticed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

jax = pytest.importorskip("jax")
jax_cache = pytest.importorskip("conformance_backends.caches.jax_cache")
compilation_cache = pytest.importorskip("jax.experimental.compilation_cache.compilation_cache")

OPTIONS = (
    "jax_compilation_cache_dir",
    "jax_persistent_cache_min_compile_time_secs",
    "jax_persistent_cache_min_entry_size_bytes",
)


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    before = {name: getattr(jax.config, name) for name in OPTIONS}
    jax.config.update("jax_compilation_cache_dir", None)
    compilation_cache.reset_cache()
    yield
    for name, value in before.items():
        jax.config.update(name, value)
    compilation_cache.reset_cache()


def value() -> float:
    return float(jax.jit(lambda x: jax.numpy.cos(x) * 3)(0.5))


def test_what_was_compiled_is_kept_and_loaded_again(tmp_path: Path) -> None:
    assert jax_cache.keep_compiled(str(tmp_path)) == ""
    first = value()
    assert list(tmp_path.glob("*-cache"))
    assert jax_cache.is_loaded_again()
    assert value() == first


def test_damaged_entries_are_compiled_again(tmp_path: Path) -> None:
    jax_cache.keep_compiled(str(tmp_path))
    first = value()
    for path in tmp_path.glob("*-cache"):
        path.write_bytes(path.read_bytes()[:20])
    with pytest.warns(UserWarning, match="Error reading persistent compilation cache"):
        assert value() == first


def test_a_processor_that_refuses_its_own_entries_is_noticed(tmp_path: Path, monkeypatch: Any) -> None:
    def refuse(*_: Any) -> None:
        raise RuntimeError("Target machine feature +prefer-no-gather is not supported")

    monkeypatch.setattr("jax._src.compilation_cache.get_executable_and_time", refuse)
    with pytest.warns(UserWarning, match="Error reading persistent compilation cache"):
        assert "does not load again" in jax_cache.keep_compiled(str(tmp_path))


def test_a_cache_of_the_users_own_is_left_as_it_is(tmp_path: Path) -> None:
    jax.config.update("jax_compilation_cache_dir", str(tmp_path / "own"))
    assert jax_cache.keep_compiled(str(tmp_path / "other")) == ""
    assert jax.config.jax_compilation_cache_dir == str(tmp_path / "own")
