"""The adapter passes operands to TensorFlow, and results back, unchanged, and refuses what TensorFlow has not."""

from __future__ import annotations

import numpy as np
import pytest

from conformance.errors import Unsupported
from conformance.ops import ALL_OPS
from conformance.run.declarations import hold_declarations
from conformance.run.mapping import try_mapping

pytest.importorskip("tensorflow", reason="TensorFlow is not installed: tox run -e tensorflow")
backends = pytest.importorskip("conformance_backends.tensorflow.backend")

ENGINE = backends.Tensorflow()


def test_what_is_declared_exists() -> None:
    hold_declarations(ENGINE)


@pytest.mark.parametrize("name", sorted(ENGINE.ops))
def test_an_op_is_the_catalogues(name: str) -> None:
    assert not try_mapping(ENGINE, ALL_OPS[name], "float64").slips


def test_an_array_is_a_copy_in_any_layout() -> None:
    value = np.arange(6.0).reshape(2, 3)[:, ::-1]
    array = ENGINE.array(value)
    assert ENGINE.numpy(array).tolist() == value.tolist()
    assert not np.shares_memory(ENGINE.numpy(array), value)


def test_a_pullback_answers_twice() -> None:
    x = np.array([2.0, 3.0])
    output, pulled = ENGINE.pullback(lambda a: a * a, [ENGINE.array(x)])
    for factor in (1.0, 10.0):
        (gradient,) = pulled(ENGINE.array(np.full(2, factor)))
        assert ENGINE.numpy(gradient).tolist() == (2 * x * factor).tolist()
    assert ENGINE.numpy(output).tolist() == [4.0, 9.0]


@pytest.mark.parametrize(
    ("name", "operands", "parameters"),
    [
        ("var", [np.ones(3)], {"axis": None, "keepdims": False, "correction": 1}),
        ("trace", [np.eye(2)], {"offset": 1}),
        ("tile", [np.ones((2, 3))], {"reps": (2,)}),
        ("take", [np.ones(3)], {"indices": -1, "axis": 0}),
        ("matmul", [np.ones(3), np.ones(3)], {}),
        ("cross", [np.ones((1, 3)), np.ones((2, 3))], {"axis": -1}),
        ("add", [np.ones((2, 1, 2, 1, 2, 1)), np.ones((1, 2, 1, 2, 1, 2))], {}),
    ],
)
def test_what_tensorflow_has_not_is_not_offered(
    name: str, operands: list[np.ndarray], parameters: dict[str, object]
) -> None:
    with pytest.raises(Unsupported):
        ENGINE.forward(ENGINE.call(name, parameters), operands)
