"""What an op returns or raises by a slip is named: a list, an index of Python's, a gradient that is declared to be missing."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
from conformance_backends.numpy_backend import NumpyTape

from conformance.cli import main
from conformance.cli.pages.smoke_ops import blocks, remarks
from conformance.errors import Unsupported
from conformance.importing import changed_errors
from conformance.ops import ALL_OPS
from conformance.run.mapping import refused_but_given, try_mapping

from .claims_asked import answer_of
from .test_claims_inside import Functional

R = NumpyTape.ops


def mapped(name: str, function: Any) -> list[str]:
    """What smoke prints of an op for which an adapter of this file names a function."""

    class Mapped(NumpyTape):
        ops: ClassVar[Mapping[str, Any]] = {**R, name: function}

    return list(blocks(remarks(try_mapping(Mapped(), ALL_OPS[name], "float64"))))


def test_an_op_that_returns_a_list_of_one_array_is_wrong() -> None:
    bad, shown, *_ = mapped("tanh", lambda x: [R["tanh"](x)])
    assert bad.startswith("  BAD   tanh: fails in the adapter, in ")
    assert "tanh returned a list of one array, where one array is expected" in shown


def test_an_op_of_as_many_outputs_as_a_parameter_says_may_return_one_in_a_list() -> None:
    def split(x: Any, indices_or_sections: Any, axis: int) -> Any:
        return list(R["split"](x, indices_or_sections=indices_or_sections, axis=axis))

    assert mapped("split", split) == []


def test_an_index_error_of_an_own_list_is_a_slip_and_names_the_axis() -> None:
    def swapaxes(x: Any, axis1: int, axis2: int) -> Any:
        places, last = list(range(x.ndim)), axis2 if axis2 >= 0 else x.ndim
        places[axis1], places[last] = places[last], places[axis1]
        return R["permute_dims"](x, axes=tuple(places))

    said = mapped("swapaxes", swapaxes)
    assert said[0].startswith("  BAD   swapaxes:")
    assert any("axis2=-" in line and "list index out of range" in line for line in said)


class Refuses(NumpyTape):
    """It declares that two ops have no gradient, of which one has."""

    no_gradient: ClassVar[Mapping[str, frozenset[str]]] = {"*": frozenset({"tanh", "exp"})}
    ops: ClassVar[Mapping[str, Any]] = {**R, "exp": lambda x: np.asarray(np.exp(x.value)) * 1.0}


def test_an_op_that_is_declared_to_have_no_gradient_and_has_one_is_said_to() -> None:
    (found,) = refused_but_given(Refuses(), ALL_OPS["tanh"], "float64")
    assert "`no_gradient` has it, of '*', and its gradients in float64 come and are right" in found.message
    assert refused_but_given(Refuses(), ALL_OPS["exp"], "float64") == ()
    assert refused_but_given(NumpyTape(), ALL_OPS["tanh"], "float64") == ()


def test_an_op_that_changes_numpys_error_state_is_named_and_the_next_is_not() -> None:
    def tanh(x: Any) -> Any:
        np.seterr(all="raise")
        return R["tanh"](x)

    before = np.geterr()
    bad, shown, *_ = mapped("tanh", tanh)
    assert bad.startswith("  BAD   tanh:")
    assert "the call changes NumPy's error state for the whole process, np.seterr(divide='raise'" in shown
    assert np.geterr() == before


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("import os; os.chdir('/')", ""),
        ("np.seterr(all='raise')", "importing the adapter changes NumPy's error state"),
    ],
)
def test_what_an_import_changes_is_put_back(
    line: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("changing.py").write_text(
        f"import numpy as np\n{line}\n"
        "from conformance_backends.numpy_backend import NumpyTape\n"
        "class Changing(NumpyTape):\n"
        "    name = 'changing'\n"
    )
    changed_errors.clear()
    assert main(["smoke", "changing.py", "-q", "tanh"]) == 0
    changed_errors.clear()
    printed = capsys.readouterr().out
    assert said in printed
    assert "1 of 1 are what the catalogue means" in printed
    assert "lines to the terminal" not in printed


def test_values_that_differ_in_later_digits_are_shown_with_these() -> None:
    said = " ".join(mapped("log", lambda x: R["log"](x + np.asarray(1e-12, x.dtype))))
    assert "the value is 0., expected 0." not in said
    assert "the value is 1.000" in said


class OfSingles(Functional):
    """An engine of float32 alone, whose adapter returns NumPy's arrays for gradients."""

    dtypes = ("float32",)

    def array(self, value: Any) -> Any:
        if value.dtype != np.float32:
            raise Unsupported(f"no arrays of {value.dtype}")
        return super().array(value)

    def pullback(self, function: Any, arrays: Any) -> Any:
        output, pull = super().pullback(function, arrays)
        return output, lambda g: [self.numpy(x) for x in pull(g)]


def test_a_gradient_that_is_numpys_is_said_to_be() -> None:
    said = answer_of(OfSingles(), "the gradients of a product are right")
    assert "was given a Python or NumPy value (ndarray of float32)" in said
    assert "what grad(), gradient() or a pullback returns" in said
