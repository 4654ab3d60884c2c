"""A query, or the source of a model, selects the rows of the atlas."""

from pathlib import Path
from typing import Any

import pytest
from conformance_backends.numpy_backend import NumpyTape

from conformance.atlas.selection import (
    OPERATORS,
    Selection,
    imported,
    names_in,
    ops_named,
    source_of,
    spellings_of,
)
from conformance.errors import UsageError

MODEL = """
import torch
import torch.nn.functional as F
loss = nn.MSELoss()
def model(x, w):
    x = F.max_pool2d(x @ w, 2) ** 2
    return -torch.amax(x, dim=1), x[0], torch.fft.fft(x), x % 2
"""


@pytest.mark.parametrize(
    ("query", "place"),
    [
        ("op/max", "max/tie-of-2"), ("max", "max/tie-of-2"), ("point/max/tie-of-2", "max/tie-of-2"),
        ("*/tie-of-2", "max/tie-of-2"), ("A2", "A2"), ("contract/A2", "A2"), ("clause/*", "A2"),
    ],
)  # fmt: skip
def test_a_query_selects_a_place(query: str, place: str) -> None:
    assert Selection((query,)).has(place)


@pytest.mark.parametrize(
    ("query", "place"), [("op/max", "maximum/tie"), ("clause/*", "max/tie"), ("A2", "A21")]
)
def test_a_query_selects_no_other_place(query: str, place: str) -> None:
    assert not Selection((query,)).has(place)


def test_ops_select_their_places_and_the_compositions_that_name_them() -> None:
    of_relu = Selection(ops=("relu",))
    assert of_relu.has("relu/at-0")
    assert of_relu.has("composed/relu(x)-relu(-x)")
    assert not of_relu.has("relu6/at-0")
    assert not of_relu.has("A2")


def test_a_model_names_functions_layers_and_operators() -> None:
    spellings = {"max": {"amax"}, "max_pool2d": set[str](), "mse": {"mse_loss"}}
    named = ops_named(names_in(MODEL), spellings)
    assert named["amax"] == {"max"}
    assert named["max_pool2d"] == {"max_pool2d"}
    assert named["MSELoss"] == {"mse"}
    assert [named[sign] for sign in ("@", "**", "-x", "[]", "%")] == [
        {"matmul"}, {"pow"}, {"negative"}, {"getitem"}, {"remainder"},
    ]  # fmt: skip
    assert named["fft"] == set()
    assert imported(MODEL) == {"torch", "F"}


def test_a_list_is_read_as_calls() -> None:
    assert set(names_in(source_of("relu, softmax"))) == {"relu", "softmax"}
    with pytest.raises(UsageError, match="not Python"):
        names_in("def")


def test_an_adapter_says_how_its_users_write_an_op() -> None:
    assert "amax" in spellings_of(NumpyTape())["max"]


def test_an_operator_is_named_in_a_list_by_its_sign() -> None:
    names = ("relu", *OPERATORS.values())
    assert set(names_in(source_of(",".join(names)))) == set(names)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("", "--ops-of '' names nothing: it takes a program, model.py, or a list"),
        (".", r"^\. is a folder: it takes a program"),
        ("notes.txt", "notes.txt is a file whose name does not end in .py: it takes a program"),
        ("relu,foo(", r"'foo\(' is no name of an op, and no operator"),
        ("wrong.py", "wrong.py, line 2, is not Python: invalid syntax"),
    ],
)
def test_what_holds_no_ops_is_named(given: str, said: str, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    Path("wrong.py").write_text("import torch\nx = = 1\n")
    Path("notes.txt").touch()
    with pytest.raises(UsageError, match=said):
        names_in(source_of(given), given)


def test_a_list_of_many_ops_is_no_path() -> None:
    assert set(names_in(source_of(",".join(["relu"] * 200)))) == {"relu"}
