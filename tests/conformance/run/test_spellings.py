"""A mode that spells functions of another mode otherwise is asked about these alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conformance_backends.numpy_backend import NumpyTape
from conformance_backends.numpy_engine import Tensor

from conformance.backend import Capability, Unsupported
from conformance.checks import load_all
from conformance.errors import AdapterError
from conformance.points import find_point
from conformance.points.point import Place
from conformance.questions import items_of
from conformance.questions.points import PointQuestion
from conformance.run.declarations import hold_declarations
from conformance.run.describe import describe
from conformance.run.plan import PROFILES, parted
from conformance.runfile.jsonl import read_run

ADAPTER = Path("tests/adapters/spelled.py").resolve()
RESPELLED = Path("tests/adapters/respelled.py").resolve()


def test_only_its_ops_are_asked_by_all_their_checks_and_at_all_their_points() -> None:
    asked, _ = parted([describe(str(ADAPTER))], 0, PROFILES["quick"])
    every = {item.id.partition("/")[2] for item in items_of("x", NumpyTape.dtypes)}
    of_two = {i for i in every if i.startswith(("op/tanh/", "op/relu/", "point/tanh/", "point/relu/"))}
    assert {item.id.partition("/")[2] for item in asked} == of_two
    assert len(of_two) > 100


def test_of_respelled_methods_what_needs_them_is_asked_besides_its_own_ops() -> None:
    asked, _ = parted([describe(str(RESPELLED))], 0, PROFILES["quick"])
    needs = {item.id.partition("/")[2]: item.definition.needs for item in asked}
    beside = {i: need for i, need in needs.items() if not i.startswith(("op/", "point/tanh/", "point/relu/"))}
    assert "contract/C1/no-grad" in beside
    assert all(need & {Capability.NO_GRAD, Capability.ANOMALY} for need in beside.values())
    assert {i.split("/")[1] for i in needs if i.startswith("op/")} == {"tanh", "relu"}


@pytest.mark.costly
def test_a_wrong_method_is_caught_with_ops_that_it_does_not_spell(command: Any, tmp_path: Path) -> None:
    run = tmp_path / "run.jsonl"
    done = command("run", RESPELLED, "-q", "contract/C1/*", "-n", 1, "-o", run)
    assert done.code == 1, done.said
    verdicts = {line.id.partition("/")[2]: line.verdict.value for line in read_run(run).results}
    assert verdicts["contract/C1/no-grad"] == "fail"


@pytest.mark.parametrize(
    ("member", "value", "said"),
    [
        ("spells", frozenset({"tahn"}), "did you mean tan or tanh"),
        ("repeats", "other", "is no backend of"),
        ("respells", frozenset({Capability.COMPILING}), "is not among the capabilities"),
    ],
)
def test_what_is_respelled_exists(member: str, value: Any, said: str) -> None:
    engine = type("Wrong", (NumpyTape,), {"is_spelling": True, member: value})()
    engine.name = "wrong"
    with pytest.raises(AdapterError, match=said):
        hold_declarations(engine)


def test_a_wrong_spelling_is_caught_where_the_function_itself_is_right(command: Any, tmp_path: Path) -> None:
    run = tmp_path / "run.jsonl"
    done = command("run", ADAPTER, "-q", "op/*/vjp", "-n", 1, "-o", run)
    assert done.code == 1, done.said
    found = {line.id.partition("/")[2]: line.verdict.value for line in read_run(run).results}
    assert {v for i, v in found.items() if "/relu/" in i} == {"fail"}
    assert {v for i, v in found.items() if "/tanh/" in i} == {"pass"}


def test_smoke_tries_its_arrays_and_its_ops_alone(command: Any) -> None:
    done = command("smoke", "numpy.spelled")
    assert done.code == 0, done.said
    assert "are what the catalogue means" in done.out
    assert "BAD" not in done.out
    assert "where engines may differ" not in done.out


@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_a_number_of_pythons_leaves_the_dtype_as_it_is(dtype: str) -> None:
    x = Tensor(np.array([1.0, 2.0], dtype), requires_grad=True)
    for y in (x**2, 1 / x, 2.0 * x, np.where(np.array([True, False]), x, 0.0)):
        assert y.dtype == dtype
    (x**2).backward(np.ones(2, dtype))
    assert x.grad is not None
    assert x.grad.dtype == dtype


def test_a_complex_tensor_can_be_written() -> None:
    x = Tensor(np.array([1j, 2j]), requires_grad=True)
    y = +x
    y[0] = Tensor(np.array(3j))
    y.backward(np.array([1.0 + 0j, 1.0 + 0j]))
    assert x.grad is not None
    np.testing.assert_array_equal(x.grad, [0, 1])


def test_an_op_that_is_declared_to_have_no_gradient_is_not_offered_at_a_border_either() -> None:
    class Refusing(NumpyTape):
        no_gradient = {"*": frozenset({"atanh"})}  # noqa: RUF012 - an adapter's table
        ops = NumpyTape.ops | {"atanh": None}

        def call(self, name: str, parameters: Any) -> Any:
            def refused(x: Any) -> Any:
                raise NotImplementedError("no derivative of atanh")

            return refused if name == "atanh" else super().call(name, parameters)

    question = PointQuestion(Place(find_point("atanh/at-1"), "float64", ""))
    with pytest.raises(Unsupported, match="as declared"):
        question.run(load_all()["point/border"], question.on(Refusing()))
