"""A query, or the source of a model, selects the rows of the atlas."""

import pytest
from conformance_backends.numpy_backend import NumpyTape

from conformance.atlas.selection import Selection, imported, names_in, ops_named, source_of, spellings_of
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
