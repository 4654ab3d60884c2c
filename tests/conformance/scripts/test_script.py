"""The script of a failure runs as plain Python and shows the numbers."""

from __future__ import annotations

import contextlib
import io
import re

import numpy as np
import pytest
from conformance_backends.numpy_backend import NumpyTape

from conformance.backend import Capability
from conformance.checks import load_all
from conformance.checks.sample import Sample
from conformance.ops import CATALOGUE, FLAT, find
from conformance.oracle.allowance import differentiable
from conformance.questions import Question
from conformance.questions.cases import CaseQuestion
from conformance.questions.programs import ProgramQuestion
from conformance.questions.samples import SampleQuestion
from conformance.scripts.script import script_of
from conformance.strategies import Effort, draw_cases
from conformance.strategies.programs import draw_programs

CHECKS = load_all()
EFFORT = Effort(2, 1, 1, 1)


def shown(script: str) -> str:
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(script, "script", "exec"), {})
    return out.getvalue()


def script(check: str, question: Question) -> str:
    return script_of(NumpyTape(), lambda backend: CHECKS[check].function(*question.on(backend)), None)


def numbers(text: str) -> list[float]:
    return [float(word) for word in re.findall(r"-?(?:\d+\.?\d*(?:e[+-]\d+)?|nan|inf)", text)]


@pytest.mark.parametrize("name", CATALOGUE)
def test_the_script_of_a_gradient_runs_and_shows_it(name: str) -> None:
    case = draw_cases(find(name), "float64", 0, EFFORT)[0]
    text = script("op/vjp", CaseQuestion(case))
    assert "import conformance.run" not in text
    assert ".backward(" in text
    with np.errstate(all="ignore"):
        printed = shown(text)
    expected = find(name)
    if not expected.has_several_outputs:
        z = expected.reference(*case.operands, **case.parameters)
        first = differentiable(expected, case)[0]
        gradient = expected.rule(first, case.cotangents[0], z, *case.operands, **case.parameters)
        wanted = np.ravel(gradient)[:1]
        assert wanted.size == 0 or any(np.isclose(wanted[0], n, atol=1e-7) for n in numbers(printed))


def test_the_script_of_a_gradient_in_bfloat16_runs_in_bfloat16() -> None:
    case = draw_cases(find("tanh"), "bfloat16", 0, EFFORT)[0]
    text = script("op/half-precision", CaseQuestion(case))
    assert "'bfloat16'" in text
    assert shown(text)


@pytest.mark.parametrize("name", FLAT)
def test_the_script_of_a_flat_op_runs_to_the_backward_pass_that_is_refused(name: str) -> None:
    case = draw_cases(find(name), "float64", 0, EFFORT)[0]
    text = script("op/flat", CaseQuestion(case))
    assert f"ALL_OPS[{name!r}]" in text
    assert "nothing behind this tensor" in shown(text)


WORDLESS: set[Capability] = set()
CONTRACTS = [
    key
    for key, check in CHECKS.items()
    if check.kind in ("contract", "example") and not check.needs & WORDLESS
]


@pytest.mark.costly
@pytest.mark.parametrize("key", CONTRACTS)
def test_the_script_of_a_contract_is_python(key: str) -> None:
    text = script(key, SampleQuestion(Sample(1, "float64", key)))
    compile(text, key, "exec")


def test_the_script_of_a_program_runs() -> None:
    for program in draw_programs(find, "float64", 0, 4):
        (key,) = [k for k, c in CHECKS.items() if c.kind == "program"][:1]
        assert shown(script(key, ProgramQuestion(program)))
