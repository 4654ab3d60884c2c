"""The modes of MLX, tinygrad and TensorFlow call what they are named after."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from conformance.run.declarations import hold_declarations
from conformance.run.smoke import questions, try_question

X = np.array([1.0, 2.0])


def mode_of(engine: str, module: str, name: str) -> Any:
    pytest.importorskip(engine, reason=f"{engine} is not installed: tox run -e {engine}")
    return getattr(pytest.importorskip(f"conformance_backends.{engine}.{module}"), name)()


def hold_smoke(backend: Any) -> None:
    hold_declarations(backend)
    assert not [q.claim for q in questions(backend) if try_question(q, backend)]


def test_mlx_compiles_values_and_gradients() -> None:
    backend = mode_of("mlx", "compiled", "MlxCompiled")
    hold_smoke(backend)
    seen: list[str] = []

    def square(x: Any) -> Any:
        seen.append("traced")
        return x * x

    for _ in range(3):
        (output,), (gradient,) = backend.vjp(square, [X], [X])
        assert backend.numpy(output).tolist() == [1.0, 4.0]
        assert backend.numpy(gradient).tolist() == [2.0, 8.0]
    assert len(seen) == 2  # once for the value, once for the gradients, and never again


def test_tinygrad_returns_gradients_and_stores_none() -> None:
    backend = mode_of("tinygrad", "gradient_mode", "TinygradGradient")
    hold_smoke(backend)
    arrays = [backend.array(X)]
    _, pulled = backend.pullback(lambda x: x * x, arrays)
    (gradient,) = pulled(backend.array(X))
    assert backend.numpy(gradient).tolist() == [2.0, 8.0]
    assert arrays[0].grad is None


def test_tensorflow_runs_in_a_graph() -> None:
    backend = mode_of("tensorflow", "function_mode", "TensorflowFunction")
    import tensorflow as tf

    hold_smoke(backend)
    eager: list[bool] = []

    def square(x: Any) -> Any:
        eager.append(tf.executing_eagerly())
        return x * x

    _, (gradient,) = backend.vjp(square, [X], [X])
    assert backend.numpy(gradient).tolist() == [2.0, 8.0]
    assert eager
    assert not any(eager)
