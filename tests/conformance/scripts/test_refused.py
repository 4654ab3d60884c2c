"""A function that the engine refuses to trace: its script ends at the call, or goes on where the check does."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import pytest

from conformance.backend import Dialect, FunctionalBackend
from conformance.scripts.script import script_of


def refused(x: Any) -> Any:
    raise RuntimeError("no such op")


class Refusing(FunctionalBackend):
    """Its exponential is refused."""

    name = engine = "refusing"
    ops: ClassVar = {"exp": refused}
    dialect = Dialect(
        imports="import numpy as np\nimport engine",
        array="np.array({values}, '{dtype}')",
        pullback="{out}, {pullback} = engine.vjp({function}, {operands})",
        gradient="engine.grad({function}, argnums={argnums})({operands})",
    )

    def version(self) -> str:
        return "1"

    def array(self, value: Any) -> Any:
        return np.array(value)

    def numpy(self, array: Any) -> Any:
        return array

    def pullback(self, function: Any, arrays: Any) -> Any:
        return function(*arrays), None

    def gradient(self, function: Any, operands: Any) -> Any:
        return function(*operands)


def test_a_script_ends_at_the_call_of_the_function_that_is_refused() -> None:
    """What a check looks at afterwards, to say why, is not the failure."""

    def run(engine: Any) -> None:
        try:
            engine.pullback(engine.op("exp"), [engine.array(np.ones(2))])
        except RuntimeError:
            engine.numpy(engine.array(np.zeros(2)))
            raise

    lines = script_of(Refusing(), run, RuntimeError("no such op")).splitlines()
    assert lines[-2:] == ["out0, pullback0 = engine.vjp(f0, c0)", "# no such op"]
    assert lines[lines.index("def f0(a0):") + 1].startswith("    return ")


@pytest.mark.parametrize("call", ["pullback", "gradient"])
def test_a_script_goes_on_after_a_refusal_where_the_check_does(call: str) -> None:
    def run(engine: Any) -> None:
        operand = np.ones(2) if call == "gradient" else engine.array(np.ones(2))
        with pytest.raises(RuntimeError):
            getattr(engine, call)(engine.op("exp"), [operand])
        engine.numpy(engine.array(np.zeros(2)))

    script = script_of(Refusing(), run, None)
    assert (
        script.index("try:\n    ") < script.index("except Exception as refusal:") < script.index("0.0, 0.0")
    )


def test_a_long_script_keeps_what_its_last_call_needs_where_that_raises() -> None:
    def run(engine: Any) -> None:
        for number in range(40):
            engine.numpy(engine.array(np.full(2, float(number))))
        operand = engine.array(np.full(2, 41.0))
        engine.pullback(engine.op("exp"), [operand])

    lines = script_of(Refusing(), run, RuntimeError("no such op")).splitlines()
    assert [line for line in lines if "np.array(" in line] == ["c40 = np.array([41.0, 41.0], 'float64')"], (
        lines
    )
    assert lines[-2:] == ["out0, pullback0 = engine.vjp(f0, c40)", "# no such op"]
