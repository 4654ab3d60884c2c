"""Modes that are run where they are named call what they are named after, and say in a sentence that they are absent."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from conformance_backends.further_modes import needs

from conformance import load
from conformance.cli import main
from conformance.errors import AdapterError, Unsupported
from conformance.load import absence, load_backend, modes_of
from conformance.ops import find
from conformance.questions.compact import Compact
from conformance.run.declarations import hold_declarations
from conformance.run.process import memory
from conformance.run.smoke import questions, try_question
from conformance.strategies import Effort, draw_cases

# torch.compile imports parts of torch that are deprecated.
pytestmark = [pytest.mark.costly, pytest.mark.filterwarnings("ignore:.torch.jit:DeprecationWarning")]

X = np.array([1.0, 2.0])
MAKE_TENSORS = ("scatter_add", "index_add", "index_update", "take", "getitem_integer_array")
ONE_EACH = Effort(signatures=2, draws=1, samples=1, programs=1)


def hold_declared(backend: Any) -> None:
    backend.name = "torch.mode"  # loading by a name gives one
    hold_declarations(backend)


def hold_smoke(backend: Any) -> None:
    hold_declared(backend)
    assert not [q.claim for q in questions(backend) if try_question(q, backend)]


# ---- torch.compile ----------------------------------------------------------------------------------------


def torch_mode(module: str, name: str) -> Any:
    pytest.importorskip("torch")
    return getattr(pytest.importorskip(f"conformance_backends.further_modes.{module}"), name)


def test_torch_compiles_values_and_gradients() -> None:
    backend = torch_mode("torch_compiled", "TorchAot")()
    hold_declared(backend)
    from torch._dynamo.utils import counters

    counters.clear()
    for factor in range(9):  # closures of one line, of which torch would compile eight
        (output,), (gradient,) = backend.vjp(lambda x, k=factor: k * x * x, [X], [X])
        assert backend.numpy(output).tolist() == [factor, 4.0 * factor]
        assert backend.numpy(gradient).tolist() == [2.0 * factor, 8.0 * factor]
    assert counters["stats"]["unique_graphs"] == 9
    assert not counters["graph_break"]
    (again,) = {backend.compiled(find("tanh").reference) for _ in range(2)}
    backend.forget()
    assert backend.compiled(find("tanh").reference) is not again


def test_operands_without_a_gradient_cause_no_compilation() -> None:
    backend = torch_mode("torch_compiled", "TorchAot")()
    from torch._dynamo.utils import counters

    multiply = backend.op("multiply")
    backend.forget()
    counters.clear()
    for w in (X, X + 1, X + 2):
        _, (gradient,) = backend.vjp(multiply, [X, w], [X], [0])
        assert backend.numpy(gradient).tolist() == (X * w).tolist()
    assert counters["stats"]["unique_graphs"] == 1


def test_the_default_compiler_is_what_users_get(monkeypatch: pytest.MonkeyPatch) -> None:
    backend = torch_mode("torch_compiled", "TorchCompile")()
    import torch

    asked: list[str] = []

    def compiled(function: Any, *, backend: str, **settings: Any) -> Any:
        asked.append(backend)
        return function

    monkeypatch.setattr(torch, "compile", compiled)
    backend.compiled(lambda x: x)
    assert asked == ["inductor"]
    assert "torch.compile(function)(" in backend.dialect.imports


# ---- arrays elsewhere -------------------------------------------------------------------------------------


def test_torch_with_a_device_is_the_tape() -> None:
    hold_smoke(torch_mode("torch_cuda", "TorchCuda")("cpu"))


@pytest.mark.parametrize("name", MAKE_TENSORS)
def test_ops_that_make_tensors_make_them_on_the_device(name: str) -> None:
    backend = torch_mode("torch_cuda", "TorchCuda")("meta")  # shapes alone: it mixes with no other device
    for case in draw_cases(find(name), "float64", 0, ONE_EACH):
        try:
            outputs = backend.forward(backend.call(name, case.parameters), case.operands)
        except Unsupported:
            continue
        assert [z.device.type for z in outputs] == ["meta"] * len(outputs)


def test_ops_of_a_device_may_stand_in_a_branch_of_the_engine() -> None:
    backend = torch_mode("torch_cuda", "TorchCuda")("cpu")
    multiply = backend.op("multiply")

    def branched(x: Any) -> Any:
        is_positive = backend.op("sum")(x, axis=None, keepdims=False) > 0
        return backend.branch(is_positive, lambda y: multiply(y, y), lambda y: multiply(y, 3 * y), [x])

    _, (gradient,) = backend.vjp(branched, [X], [X])
    assert backend.numpy(gradient).tolist() == [2.0, 8.0]


def test_beside_a_device_more_data_is_allowed() -> None:
    backend = torch_mode("torch_cuda", "TorchCuda")("cpu")
    assert memory.room_of(backend) == memory.BOUND
    backend.device = lambda: "gpu"
    assert memory.room_of(backend) == memory.BOUND_BESIDE_A_DEVICE


ON_THE_SECOND = """
import numpy as np
from conformance_backends.further_modes.jax_gpu import JaxGpu
from conformance.run.smoke import questions, try_question

backend = JaxGpu("cpu", 1)
x = np.array([1.0, 2.0])
outputs, gradients = backend.vjp(lambda a: backend.op("take")(a * a, indices=[0, 1], axis=0), [x], [x])
_, tangents = backend.jvp(lambda a: a * a, [x], [x])
(tangent,) = backend.nested_vjp(lambda a: a * a, [backend.array(x)], [backend.array(x)])
print({z.device.id for z in (*outputs, *gradients, *tangents, tangent)}, backend.device(), gradients[0].tolist())
print([q.claim for q in questions(backend) if try_question(q, backend)])
"""


def test_jax_with_a_device_computes_there() -> None:
    pytest.importorskip("jax")
    flags = {"XLA_FLAGS": "--xla_force_host_platform_device_count=2"}
    done = subprocess.run(
        [sys.executable, "-c", ON_THE_SECOND],
        env=os.environ | flags,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.splitlines() == ["{1} cpu [2.0, 8.0]", "[]"]


# ---- absent here ------------------------------------------------------------------------------------------


@pytest.fixture
def _bare_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(needs, "GPUS", ())
    monkeypatch.setattr(needs.shutil, "which", lambda name: None)
    monkeypatch.delenv("CXX", raising=False)
    monkeypatch.setattr(load, "found_version", lambda name: "1.0")


@pytest.mark.usefixtures("_bare_machine")
@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("torch.cuda", "this machine has no GPU"),
        ("jax.gpu", "this machine has no GPU"),
        ("torch.compile", "torch.compile needs a compiler of C++, such as g++"),
    ],
)
def test_a_mode_that_is_absent_says_why_in_a_sentence(
    name: str, why: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert absence(name) == why
    for command in (["list", "backends"], ["doctor"]):
        assert main(command) == 0
        (line,) = [line for line in capsys.readouterr().out.splitlines() if f" {name} " in f" {line} "]
        assert f"absent: {why}" in line
    with pytest.raises(AdapterError, match=f"^{name} is absent: {why}$".replace("+", r"\+")):
        load_backend(name)


@pytest.mark.skipif(not needs.gpu(), reason="this machine has a GPU")
def test_a_run_says_that_a_mode_is_absent(tmp_path: Any, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "jax.gpu", "-q", "op/tanh", "-n", "1", "-o", str(tmp_path / "run.jsonl")]) == 11
    assert "  jax.gpu is absent: this machine has no GPU\n" in capsys.readouterr().out


def test_a_build_without_a_gpu_says_so() -> None:
    backend = torch_mode("torch_cuda", "TorchCuda")
    import torch

    if torch.cuda.is_available():
        pytest.skip("this machine has a GPU")
    with pytest.raises(AdapterError, match=r"^torch\.cuda is absent: torch 2.* finds no GPU$"):
        backend()


def test_further_modes_are_run_where_they_are_named_and_take_no_turns() -> None:
    assert modes_of("torch") == ["torch", "torch.func"]
    assert modes_of("torch.compile") == ["torch.compile"]
    assert modes_of("mlx") == ["mlx", "mlx.compile"]  # a run without names has none of them
    assert Compact.of("jax.jit", ("float64",), 0).modes == 2
    assert Compact.of("jax.gpu", ("float64",), 0).modes == 1
