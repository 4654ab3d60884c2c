"""The builder of a script: what is written, and by whom."""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from conformance_backends.numpy_backend import NumpyTape

from conformance.errors import Violation
from conformance.scripts.builder import ScriptBuilder


def test_what_one_thread_mutes_another_still_writes() -> None:
    engine = NumpyTape()
    assert engine.dialect is not None
    builder = ScriptBuilder(engine, engine.dialect)
    with builder.muted():
        builder.write("muted = 1")
        thread = threading.Thread(target=builder.write, args=("written = 1",))
        thread.start()
        thread.join()
        assert builder.is_muted
    builder.write("after = 1")
    assert builder.lines == ["written = 1", "after = 1"]


def test_the_read_that_raises_is_written() -> None:
    """An engine that computes what is read raises here: without the line its script would raise nothing."""
    engine = NumpyTape()
    assert engine.dialect is not None
    builder = ScriptBuilder(engine, engine.dialect)

    def read(array: Any) -> Any:
        raise FloatingPointError("computed too late")

    with pytest.raises(FloatingPointError):
        builder.looked_at(builder.name(object(), "g0"), read)
    assert builder.lines == ["print(g0)"]
    assert not builder.reads


def test_what_shows_the_failure_is_kept_however_the_dialect_prints_it() -> None:
    engine = NumpyTape()
    assert engine.dialect is not None
    builder = ScriptBuilder(engine, replace(engine.dialect, show="print({value}.numpy())"))
    value = np.array([1.0, 2.0])
    builder.write("y0 = np.array([1.0, 2.0])")
    builder.looked_at(builder.name(object(), "y0"), lambda array: value)
    text = builder.text(Violation("the value differs", expected=np.array([1.0, 3.0]), got=value))
    assert "print(np.array([1.0, 2.0]).numpy())" in text


def test_an_array_of_numpys_that_has_no_name_is_python() -> None:
    backend = NumpyTape()
    assert backend.dialect is not None
    called = ScriptBuilder(backend, backend.dialect).called
    for array in (np.array([1.03574043276, np.inf]), np.array(2.5), np.zeros((0, 3)), np.array([1, 2])):
        again = eval(called(array), {"np": np})
        assert again.dtype == array.dtype
        assert np.array_equal(again, array)
        assert again.shape == array.shape


def test_a_call_that_is_refused_inside_a_function_does_not_lose_its_head() -> None:
    engine = NumpyTape()
    assert engine.dialect is not None
    builder = ScriptBuilder(engine, engine.dialect)

    def refuse() -> None:
        raise RuntimeError("refused")

    with pytest.raises(RuntimeError) as caught, builder.definition(["a0"], []):
        builder.attempt("y = refused(a0)", refuse)
    builder.end_at(caught.value)
    assert [line.strip()[:4] for line in builder.lines] == ["def ", "y = ", "retu"]


def test_a_script_whose_custom_rule_has_no_formula_says_so() -> None:
    engine = NumpyTape()
    assert engine.dialect is not None
    builder = ScriptBuilder(engine, engine.dialect)
    builder.rule(lambda a: a + a, lambda g, a: g if a else a, 1)
    assert "# not the whole program: no formula" in builder.text(None)

    def raising(g: Any, a: Any) -> Any:
        raise KeyError("a rule")

    builder = ScriptBuilder(engine, engine.dialect)
    builder.rule(lambda a: a + a, raising, 1)
    text = builder.text(None)
    assert "not the whole" not in text
    assert "lambda g, a: raised(KeyError(\"'a rule'\"))" in text
    assert "def raised(error):" in text
