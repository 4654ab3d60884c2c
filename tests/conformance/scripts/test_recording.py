"""The script of what every engine offers runs: writes into memory, and rules that raise."""

from __future__ import annotations

import contextlib
import dataclasses
import importlib
import io
from typing import Any

import numpy as np
import pytest
from conformance_backends.mutants import MUTANTS
from conformance_backends.numpy_backend import NumpyTape

from conformance.backend import Capability
from conformance.checks import load_all
from conformance.checks.engine_calls import is_refused
from conformance.checks.sample import Sample
from conformance.errors import Violation
from conformance.scripts.script import script_of

ENGINES = {
    "numpy": ("numpy_backend", "NumpyTape"),
    "torch": ("torch_backend", "TorchTape"),
    "torch.func": ("torch_backend", "TorchFunc"),
    "autograd": ("autograd_backend", "Autograd"),
    "mygrad": ("mygrad_backend", "MyGrad"),
    "jax": ("jax_backend", "JaxEager"),
}


def loaded(name: str) -> Any:
    module, adapter = ENGINES[name]
    if name != "numpy":
        pytest.importorskip(name.partition(".")[0])
    return getattr(importlib.import_module(f"conformance_backends.{module}"), adapter)()


def mutant(name: str) -> Any:
    return next(m for m in MUTANTS if m.name == name).make()


def script(backend: Any, key: str, failure: Violation | None = None) -> str:
    return script_of(
        backend, lambda recording: load_all()[key].function(recording, Sample(1, "float64")), failure
    )


def failure_of(backend: Any, key: str) -> Violation:
    with pytest.raises(Violation) as caught:
        load_all()[key].function(backend, Sample(1, "float64"))
    return caught.value


def shown(text: str) -> str:
    out = io.StringIO()
    with contextlib.redirect_stdout(out), np.errstate(all="ignore"):
        exec(compile(text, "script", "exec"), {})
    return out.getvalue()


def test_a_write_into_memory_is_in_the_words_of_the_engine() -> None:
    """Those of a tensor: a gradient that is an array of NumPy's is its own memory."""
    backend = NumpyTape()
    assert backend.dialect is not None
    words = {"memory": "{array}.value.view()"}
    backend.dialect = dataclasses.replace(backend.dialect, further=words)  # type: ignore[misc]
    text = script(backend, "contract/D4/raw-writes")
    assert ".value.view()[...] = " in text
    assert ".grad[...] = 7.0" in script(backend, "contract/B5/own-memory")
    assert shown(text)


WRITING = [
    key
    for key, check in load_all().items()
    if check.kind == "contract" and Capability.WRITABLE in check.needs
]


@pytest.mark.parametrize("name", ["numpy", "torch", "torch.func", "autograd"])
@pytest.mark.parametrize("key", WRITING)
def test_the_script_of_a_write_into_memory_runs(name: str, key: str) -> None:
    """A leaf refuses a write that is recorded, and the check writes past that."""
    backend = loaded(name)
    if not load_all()[key].needs <= backend.capabilities:
        pytest.skip(f"{name} does not declare what it needs")
    shown(script(backend, key))


def test_a_script_goes_on_after_a_write_that_is_refused_where_the_check_does() -> None:
    backend = loaded("mygrad")
    with pytest.raises(ValueError, match="read-only"):  # which mygrad locks while a graph needs it
        shown(script(backend, "contract/D4/raw-writes"))
    text = script(backend, "contract/B3/update-steps")
    assert "x0.data[...] = np.array([" in text
    assert shown(text)

    def ask(engine: Any) -> None:
        x, y = engine.array(np.ones(2)), engine.leaf(np.array([3.0]))
        engine.op("negative")(y)
        assert is_refused(lambda: engine.memory(y).__setitem__(..., 1.0))
        engine.numpy(x)

    assert "read-only\nTensor([1., 1.])" in shown(script_of(backend, ask, None))


def test_the_script_of_steps_of_descent_runs_on_a_wrong_engine() -> None:
    backend, key = mutant("write-clears"), "contract/B3/update-steps"
    text = script(backend, key, failure_of(backend, key))
    assert "x0.value[...] = np.array([" in text
    assert shown(text)


@pytest.mark.parametrize("name", ["numpy", "torch", "torch.func", "autograd", "jax"])
@pytest.mark.parametrize("key", ["exception-in-rule", "of-any-type"])
def test_the_script_of_a_rule_that_raises_goes_on_as_the_check_does(name: str, key: str) -> None:
    """It is raised where the check raises it, in the backward pass; what is wrong is the gradient that comes after it."""
    text = script(loaded(name), f"contract/B14/{key}")
    assert "raised(" in text
    assert "no formula" not in text
    first, *_, last = shown(text).splitlines()
    assert ("on purpose" in first) is (key == "exception-in-rule")
    assert "]" in last  # of an array


def test_what_is_refused_within_a_rule_stays_where_a_later_gradient_shows_the_failure() -> None:
    key = "contract/B14/exception-in-rule"
    backend = mutant("next-backward-doubled")
    text = script(backend, key, failure_of(backend, key))
    assert text.index("except Exception as refusal:") < text.index("print(x2.grad)")
