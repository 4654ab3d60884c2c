"""Scopes in scripts stand where they are entered; one that is entered again has a name."""

from __future__ import annotations

import contextlib
from typing import Any

import numpy as np
from conformance_backends.numpy_backend import NumpyTape

from conformance.backend import TapeBackend
from conformance.ops.names import MULTIPLY
from conformance.scripts.builder import ScriptBuilder
from conformance.scripts.scopes import Scope
from conformance.scripts.script import script_of


def asked(engine: Any, times: int) -> None:
    assert isinstance(engine, TapeBackend)
    multiply, leaf, scope = engine.op(MULTIPLY), engine.leaf(np.ones(2)), engine.no_grad()
    product = leaf
    for _ in range(times):
        with scope:
            product = multiply(product, leaf)
    engine.backward(multiply(product, leaf), engine.array(np.ones(2)))


class Reentrant(NumpyTape):
    """Scopes that may be entered any number of times."""

    def no_grad(self) -> Any:
        engine, entered = super(), []

        class Scope:
            def __enter__(self) -> None:
                entered.append(engine.no_grad())
                entered[-1].__enter__()

            def __exit__(self, *failure: Any) -> None:
                entered.pop().__exit__(*failure)

        return Scope()


def test_a_scope_that_is_entered_once_is_written_there() -> None:
    text = script_of(Reentrant(), lambda engine: asked(engine, 1), None)
    assert "with no_grad():\n    t0" in text
    assert "scope" not in text
    exec(compile(text, "script", "exec"), {})


def test_a_scope_that_is_entered_again_has_a_name() -> None:
    text = script_of(Reentrant(), lambda engine: asked(engine, 2), None)
    assert "scope0 = no_grad()\n" in text
    assert text.count("with scope0:\n") == 2
    exec(
        compile(text.replace("scope0 = no_grad()", "scope0 = Again()"), "script", "exec"),
        {"Again": Reentrant().no_grad},
    )


def test_a_scope_inside_of_itself_is_written_inside() -> None:
    def nested(engine: Any) -> None:
        scope, leaf, multiply = engine.no_grad(), engine.leaf(np.ones(2)), engine.op(MULTIPLY)
        with scope, scope:
            multiply(leaf, leaf)
        engine.backward(multiply(leaf, leaf), engine.array(np.ones(2)))

    text = script_of(Reentrant(), nested, None)
    assert "with scope0:\n    with scope0:\n        tt0 = " in text


def test_a_scope_of_what_is_asked_aside_leaves_the_next_line_where_it_is() -> None:
    engine = NumpyTape()
    assert engine.dialect is not None
    builder = ScriptBuilder(engine, engine.dialect)
    with builder.muted(), Scope(builder, "no_grad()", contextlib.nullcontext()):
        builder.write("aside = 1")
    builder.write("x0 = 1")
    assert builder.lines == ["x0 = 1"]
