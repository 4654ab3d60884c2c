"""The numbers of large arrays are written once, and scripts that are long, or print nothing, say so."""

from __future__ import annotations

import numpy as np
from conformance_backends.numpy_backend import NumpyTape

from conformance.checks import load_all
from conformance.checks.sample import Sample
from conformance.errors import Violation
from conformance.scripts.builder import ScriptBuilder
from conformance.scripts.ending import LONG, MEASURED
from conformance.scripts.literals import literal
from conformance.scripts.script import script_of


def test_a_script_of_many_arrays_with_the_same_numbers_has_these_once() -> None:
    """It took minutes to write a chain of large arrays down, since each was written again."""
    check = load_all()["contract/B12/freed-chain"]
    sample = next(s for s in (Sample(seed, "float64") for seed in range(8)) if s.seed % 4 == 0)
    script = script_of(
        NumpyTape(), lambda engine: check.function(engine, sample), Violation("the process is larger")
    )
    assert "numbers0 = [" in script
    assert 10 * LONG < len(script) < 8_000_000  # some fifty arrays were sixty million
    assert script.startswith(
        f"# {len(script.partition(chr(10))[2].rpartition(chr(10) + '# the process')[0])} char"
    )
    compile(script, "script", "exec")


def test_large_numbers_that_are_used_once_stay_where_they_are_used() -> None:
    engine = NumpyTape()
    assert engine.dialect is not None
    builder, value = ScriptBuilder(engine, engine.dialect), np.arange(2000.0)
    for prefix, how, array in (("x", "array", value), ("y", "asarray", value), ("z", "array", -value)):
        builder.made(prefix, f"np.{how}({{values}})", array, lambda array: array)
    script = builder.text(None)
    assert script.count(literal(value)) == 1
    assert "x0 = np.array(numbers0)" in script
    assert f"z0 = np.array({literal(-value)})" in script
    scope: dict[str, np.ndarray] = {"np": np}
    exec(script, scope)
    assert np.array_equal(scope["y0"], value)
    assert np.array_equal(scope["z0"], -value)


def test_a_script_that_neither_prints_nor_raises_says_that_the_check_measured() -> None:
    engine = NumpyTape()
    assert engine.dialect is not None
    builder = ScriptBuilder(engine, engine.dialect)
    builder.write("x0 = 1")
    assert builder.text(Violation("3 objects are left")).splitlines()[-2:] == [
        "# 3 objects are left",
        MEASURED,
    ]
    builder.write("print(x0)")
    assert MEASURED not in builder.text(Violation("3 objects are left"))
