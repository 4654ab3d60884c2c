"""A method that returns something else than the protocol says is named, with what came."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conformance_backends.numpy_backend import NumpyTape

from conformance.cli import main
from conformance.errors import AdapterError
from conformance.load import load_backend
from conformance.ops import ALL_OPS
from conformance.ops.names import ADD
from conformance.returned import WHAT_IS_RETURNED
from conformance.run.mapping import try_mapping
from conformance.run.smoke import hint_for, questions, try_question


class OneOutput(NumpyTape):
    """Returns the output itself."""

    def forward(self, function: Any, operands: Any) -> Any:
        return super().forward(function, operands)[0]


class NoOutput(NumpyTape):
    """Returns nothing."""

    def forward(self, function: Any, operands: Any) -> Any:
        super().forward(function, operands)


class BareOutput(NumpyTape):
    """Returns the output beside the gradients."""

    def vjp(self, function: Any, operands: Any, cotangents: Any, wrt: Any = None) -> Any:
        outputs, gradients = super().vjp(function, operands, cotangents, wrt)
        return outputs[0], gradients


class GradientsAlone(NumpyTape):
    """Returns the gradients, of which there may be two."""

    def vjp(self, function: Any, operands: Any, cotangents: Any, wrt: Any = None) -> Any:
        return super().vjp(function, operands, cotangents, wrt)[1]


class TangentsAlone(NumpyTape):
    """Returns the tangents."""

    def jvp(self, function: Any, operands: Any, tangents: Any) -> Any:
        return super().jvp(function, operands, tangents)[1]


class BareTrace(NumpyTape):
    """The trace has the output itself."""

    def trace(self, function: Any, operands: Any, wrt: Any = None) -> Any:
        traced = super().trace(function, operands, wrt)
        return dataclasses.replace(traced, outputs=traced.outputs[0])


class NoTrace(NumpyTape):
    """Returns what a pullback would return."""

    def trace(self, function: Any, operands: Any, wrt: Any = None) -> Any:
        traced = super().trace(function, operands, wrt)
        return traced.outputs, traced.pull


ADDS, PRODUCT = "add is found and adds", "the gradients of a product are right"
TANGENT = "each tangent goes with its own operand"


@pytest.mark.parametrize(
    ("adapter", "claim", "said"),
    [
        (OneOutput, ADDS, "OneOutput.forward() returns a tuple of the outputs, got Tensor"),
        (NoOutput, ADDS, "NoOutput.forward() returns a tuple of the outputs, got None"),
        (BareOutput, PRODUCT, "BareOutput.vjp() returns a pair of tuples, the outputs and the gradients, got Tensor and tuple"),
        (GradientsAlone, PRODUCT, "GradientsAlone.vjp() returns a pair of tuples, the outputs and the gradients, got ndarray and ndarray"),
        (TangentsAlone, TANGENT, "TangentsAlone.jvp() returns a pair of tuples, the outputs and their tangents, got tuple of 1"),
        (BareTrace, PRODUCT, "BareTrace.trace() returns a Trace whose `outputs` are a tuple, got Tensor"),
        (NoTrace, PRODUCT, "NoTrace.trace() returns a conformance.backend.Trace, got tuple"),
    ],
)  # fmt: skip
def test_a_claim_names_the_method_and_where_it_is_described(adapter: Any, claim: str, said: str) -> None:
    (question,) = (q for q in questions(adapter()) if q.claim == claim)
    answer = try_question(question, adapter())
    assert answer == f"AdapterError: {said}"
    assert hint_for(question, answer) == WHAT_IS_RETURNED
    assert try_question(question, NumpyTape()) == ""


def test_an_op_and_a_run_say_so_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = try_mapping(OneOutput(), ALL_OPS[ADD], "float64")
    assert "OneOutput.forward() returns a tuple of the outputs, got Tensor" in found.slips[0].message
    file = tmp_path / "bare.py"
    file.write_text(
        "from conformance_backends.numpy_backend import NumpyTape\n"
        "class Bare(NumpyTape):\n"
        "    name = 'bare'\n"
        "    def forward(self, function, operands):\n"
        "        return super().forward(function, operands)[0]\n"
    )
    main(["run", str(file), "-q", "op/tanh/value", "--budget", "30s", "-o", str(tmp_path / "run.jsonl")])
    assert "adapter_error" in (tmp_path / "run.jsonl").read_text()
    with pytest.raises(AdapterError, match=r"Bare\.forward\(\) returns a tuple of the outputs"):
        load_backend(str(file)).forward(lambda x: x, [np.ones(1)])
    capsys.readouterr()


def test_a_list_is_as_good_as_a_tuple() -> None:
    class Lists(NumpyTape):
        """Returns lists."""

        def forward(self, function: Any, operands: Any) -> Any:
            return list(super().forward(function, operands))

    assert not try_mapping(Lists(), ALL_OPS[ADD], "float64").slips
