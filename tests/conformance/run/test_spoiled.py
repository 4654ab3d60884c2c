"""Smoke where one thing spoils others: a process after a refused gradient, claims after a basic one, ops in a dtype that arrays do not keep."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conformance_backends.numpy_backend import NumpyTape

from conformance.cli import main
from conformance.cli.pages.smoke_ops import SPOILS, blocks, remarks
from conformance.load import load_backend
from conformance.ops import ALL_OPS
from conformance.run.claims.advice import advice_of
from conformance.run.mapped.findings import MappedOp
from conformance.run.mapping import try_mapping
from conformance.run.mapping_process import try_ops, with_other_gradients
from conformance.run.smoke import FOLLOWS

# After a gradient that it refuses this engine's tape is in disorder, whatever is asked next.
SPOILED = """
from conformance_backends.numpy_backend import NumpyTape

R = NumpyTape.ops


class Spoiled(NumpyTape):
    ops = {name: R[name] for name in ("sign", "negative", "exp", "multiply", "sum", "tanh")}
    is_spoiled = False

    def op(self, name):
        self.asked = (name, "")
        return super().op(name)

    def call(self, name, parameters):
        function = super().call(name, parameters)
        self.asked = (name, parameters.get("axis"))
        return function

    def backward(self, output, gradient=None, *, retain=False):
        if self.is_spoiled:
            raise RuntimeError("the tape is in disorder")
        if self.asked[0] in ("negative", "exp") or self.asked == ("sum", ()):
            Spoiled.is_spoiled = True
            raise RuntimeError("no gradient of this")
        super().backward(output, gradient, retain=retain)
"""


def tried(spec: str, names: Sequence[str]) -> dict[str, MappedOp]:
    """What came of the ops, as smoke asks them."""
    backend = load_backend(spec)
    found = list(try_ops(backend, spec, "float64", names, lambda doing: None, lambda text: None))
    return {op.op: op for op in with_other_gradients(spec, "float64", found)}


@pytest.mark.costly
def test_gradients_after_one_that_spoils_the_process_are_asked_in_another(tmp_path: Path) -> None:
    file = tmp_path / "spoiled.py"
    file.write_text(SPOILED)
    found = tried(str(file), ["negative", "exp", "multiply", "sum", "tanh"])
    assert [name for name, op in found.items() if op.ungradable] == ["negative", "exp"]
    assert [name for name, op in found.items() if op.spoils] == ["negative", "exp", "sum"]
    assert not [*found["multiply"].suspect, *found["tanh"].suspect, *found["tanh"].slips]
    lines = list(blocks(remark for op in found.values() for remark in remarks(op)))
    assert f"  ENG   3 ops: {SPOILS}" in lines
    assert [line for line in lines if line.startswith("  GRAD")] == ["  GRAD  2 ops: no gradient"]


def test_a_parameter_that_the_engine_takes_of_constants_alone_is_named() -> None:
    refuse = _of_an_engine()

    class Refusing(NumpyTape):
        def backward(self, output: Any, gradient: Any = None, *, retain: bool = False) -> None:
            refuse()

    adapter = Refusing()
    found = try_mapping(adapter, ALL_OPS["cholesky"], "float64")
    first, *lines = blocks(remarks(found))
    assert first == "  GRAD  cholesky: no gradient"
    assert "does not take its call's `upper`, here True" in lines[-1]
    other = try_mapping(adapter, ALL_OPS["exp"], "float64")
    assert not any("its call's" in line for line in blocks(remarks(other)))


def _of_an_engine() -> Callable[[], None]:
    """A function that refuses a parameter, in a file that is not the adapter's."""
    text = "def refuse():\n    raise TypeError(\"Function.cholesky() got an unexpected keyword argument 'upper'\")\n"
    names: dict[str, Any] = {}
    exec(compile(text, "engine.py", "exec"), names)
    found: Callable[[], None] = names["refuse"]
    return found


class Wide(NumpyTape):
    """Whatever is read is float64."""

    def numpy(self, array: Any) -> Any:
        return np.asarray(super().numpy(array), "float64")


class Copies(NumpyTape):
    """What is stored, and what is given, is copied."""

    def grad(self, leaf: Any) -> Any:
        found = super().grad(leaf)
        return None if found is None else found.copy()

    def array(self, value: Any) -> Any:
        return super().array(np.array(value, order="C"))


class OnesForCotangents(NumpyTape):
    """The cotangent is not handed on."""

    def backward(self, output: Any, gradient: Any = None, *, retain: bool = False) -> None:
        ones = None if gradient is None else self.array(np.ones_like(self.numpy(gradient)))
        super().backward(output, ones, retain=retain)


def printed_of(adapter: type[NumpyTape], capsys: pytest.CaptureFixture[str]) -> str:
    """What smoke prints of an adapter of this file, of two ops."""
    main(["smoke", f"{__file__}:{adapter.__name__}", "-q", "exp", "-q", "add"])
    return capsys.readouterr().out


@pytest.mark.costly
def test_a_dtype_that_arrays_do_not_keep_is_said_once(capsys: pytest.CaptureFixture[str]) -> None:
    printed = printed_of(Wide, capsys)
    assert "BAD   float32 goes in and comes out" in printed
    assert "does the function make an array itself" not in printed
    assert "2 of 2 are what the catalogue means" in printed


@pytest.mark.costly
def test_claims_after_a_basic_one_give_no_hints_of_their_own(capsys: pytest.CaptureFixture[str]) -> None:
    printed = printed_of(OnesForCotangents, capsys)
    hints = [line.strip() for line in printed.splitlines() if "hint:" in line]
    assert "the cotangent is passed on" in hints[0]
    assert set(hints[1:]) == {f"hint: {FOLLOWS}"}


def test_copies_are_said_without_a_verdict() -> None:
    gradients, layouts = advice_of(Copies())
    assert "does not reach the gradient" in gradients
    assert "the first axis first in memory" in layouts
    assert not advice_of(NumpyTape())
