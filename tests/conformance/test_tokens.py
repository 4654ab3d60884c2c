"""A token says a case, a program or a sample whole, or is refused."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from conformance.case import Case, listed
from conformance.checks.sample import Sample
from conformance.dtype import BFLOAT16
from conformance.errors import UsageError
from conformance.history import History
from conformance.ops import find
from conformance.program import Program, Step
from conformance.strategies import Effort, draw_cases
from conformance.strategies.histories import draw_histories
from conformance.strategies.programs import draw_programs
from conformance.values import TEXTURES

PARAMETERS: dict[str, Any] = {
    "index": (slice(None, None, -1), Ellipsis, None, 3, (np.array([0, 2]),)),
    "nested": ((1, (2, ())), [3, [4.5]]),
    "number": -0.0,
    "infinite": float("inf"),
    "flag": True,
    "text": "naïve · ∂",
    "nothing": None,
    "large": 2**53 + 1,
}
ARRAYS = (
    np.array([[np.nan, -np.inf], [0.1, -0.0]]),
    np.array(3.5, np.float32),
    np.zeros((2, 0, 3)),
    np.array([1, 2], np.int64),
    np.array([True, False]),
    np.array([1e-310, 5e-324]),
    np.arange(6, dtype=np.float16).reshape(2, 3).T,
    np.array([1.5, np.nan, -0.0], BFLOAT16),
    np.array([1 + 2j]),
)
CASE = Case("getitem", ARRAYS, PARAMETERS, (np.array(2.0),), ("C", "F") * 5, "float64")
PROGRAM = Program(
    (ARRAYS[0], ARRAYS[1]),
    (Step("getitem", (0,), PARAMETERS), Step("add", (2, 1), {})),
    np.array([np.nan, 1.0]),
    "float64",
)


def same(one: Any, other: Any) -> bool:
    """Equality to the bit, types and shapes included."""
    if isinstance(one, np.ndarray):
        return one.dtype == other.dtype and one.shape == other.shape and one.tobytes() == other.tobytes()
    if isinstance(one, (tuple, list)):
        return type(one) is type(other) and len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[k], other[k]) for k in one)
    return type(one) is type(other) and repr(one) == repr(other)


def test_a_case_comes_back_from_its_token_to_the_bit() -> None:
    back = Case.from_token(CASE.token)
    for field in ("op", "operands", "parameters", "cotangents", "layouts", "dtype"):
        assert same(getattr(CASE, field), getattr(back, field)), field
    assert back.token == CASE.token


def test_a_program_comes_back_from_its_token_to_the_bit() -> None:
    back = Program.from_token(PROGRAM.token)
    assert same(PROGRAM.leaves, back.leaves)
    assert same(PROGRAM.cotangent, back.cotangent)
    assert [(s.op, s.inputs) for s in back.steps] == [("getitem", (0,)), ("add", (2, 1))]
    assert same(PARAMETERS, back.steps[0].parameters)
    assert back.label == PROGRAM.label


def test_a_sample_comes_back_from_its_token() -> None:
    sample = Sample(12345, "float32", "contract/B1/fan-out")
    assert Sample.from_token(sample.token) == sample


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
@pytest.mark.parametrize("name", ["getitem", "pad", "einsum", "concat", "where", "conv2d", "sum"])
def test_drawn_cases_come_back_from_their_tokens(name: str, dtype: str) -> None:
    for case in draw_cases(find(name), dtype, 1, Effort(4, 1, 1, 1)):
        back = Case.from_token(case.token)
        assert same(case.operands, back.operands)
        assert same(dict(case.parameters), dict(back.parameters))
        assert case.texture == back.texture in TEXTURES


@pytest.mark.parametrize("dtype", ["complex128", "complex64"])
def test_a_complex_case_comes_back_from_its_token(dtype: str) -> None:
    for case in draw_cases(find("divide"), dtype, 1, Effort(4, 2, 1, 1)):
        back = Case.from_token(case.token)
        assert same(case.operands, back.operands)
        assert same(case.cotangents, back.cotangents)
        assert {x.dtype.name for x in (*back.operands, *back.cotangents)} == {dtype}


@pytest.mark.parametrize(
    ("array", "text"),
    [
        (np.array([[1 + 2j, -0.5j]], np.complex64), [["1+2j", "-0-0.5j"]]),
        (np.array(3 + 0j), "3+0j"),
        (np.array([complex("nan"), complex(0, -np.inf)]), ["nan+0j", "-infj"]),
    ],
)
def test_complex_numbers_are_written_as_python_writes_them(array: Any, text: Any) -> None:
    assert listed(array) == text


def test_drawn_programs_come_back_from_their_tokens() -> None:
    for program in draw_programs(find, "float64", 1, 5):
        assert Program.from_token(program.token).label == program.label


@pytest.mark.parametrize("kind", ["tape", "threads", "pullbacks"])
def test_drawn_histories_come_back_from_their_tokens(kind: str) -> None:
    for history in draw_histories(kind, find, "float32", 1, 3):
        back = History.from_token(history.token)
        assert (back.kind, back.dtype, back.label) == (kind, "float32", history.label)
        assert all(same(a.array, b.array) for a, b in zip(history.calls, back.calls, strict=True))


READERS: dict[str, tuple[str, Callable[[str], Any]]] = {
    "case": (CASE.token, Case.from_token),
    "program": (PROGRAM.token, Program.from_token),
    "history": (draw_histories("tape", find, "float64", 0, 2)[0].token, History.from_token),
    "sample": (Sample(7, "float64", "op/vjp").token, Sample.from_token),
}


@pytest.mark.parametrize("kind", READERS)
def test_a_token_with_one_wrong_letter_is_refused(kind: str) -> None:
    token, read = READERS[kind]
    rng = random.Random(0)
    for place in rng.sample(range(len(token)), min(150, len(token))):
        wrong = rng.choice([c for c in "AbZ09-_!é=" if c != token[place]])
        with pytest.raises(UsageError, match="not a whole replay token"):
            read(token[:place] + wrong + token[place + 1 :])


@pytest.mark.parametrize("kind", READERS)
def test_a_token_cut_short_is_refused(kind: str) -> None:
    token, read = READERS[kind]
    for length in range(len(token)):
        with pytest.raises(UsageError):
            read(token[:length])


def test_a_token_of_another_kind_is_refused() -> None:
    for kind, (token, _) in READERS.items():
        for other, (_, read) in READERS.items():
            if kind != other:
                with pytest.raises(UsageError):
                    read(token)
                prefix = READERS[other][0][:3]
                with pytest.raises(UsageError):
                    read(prefix + token[3:])


def test_spaces_around_a_pasted_token_do_no_harm() -> None:
    assert Case.from_token(CASE.token + "\n").token == CASE.token


def test_a_case_for_a_report_is_plain_json() -> None:
    import json

    record = json.loads(json.dumps(CASE.as_json(), allow_nan=False))
    assert record["operands"][0] == [["nan", "-inf"], [0.1, -0.0]]


def test_an_empty_operand_has_its_shape_in_a_record() -> None:
    full = {"axis": None, "keepdims": False}
    empty, other = (
        Case("sum", (np.zeros(shape),), full, (np.zeros(()),), ("C", "C"), "float64").as_json()
        for shape in ((0, 3), (2, 3))
    )
    assert empty["shapes"] == [[0, 3]]
    assert "shapes" not in other
