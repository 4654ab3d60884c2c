"""An exception of an engine that is no Exception, as a panic in Rust arrives, counts as any other that it raises."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from conformance_backends.numpy_backend import NumpyTape

from conformance.atlas.conventions import _has_gradient
from conformance.checks.observation import Observation, Oracle
from conformance.cli.pages.smoke_ops import remarks
from conformance.ops import ALL_OPS
from conformance.run.mapped.findings import MappedOp, to_correct
from conformance.run.mapped.gradients import refuses_products
from conformance.run.mapping import try_mapping
from conformance.run.smoke import questions, try_question
from conformance.scripts.script import script_of
from conformance.strategies import Effort, draw_cases


class PanicException(BaseException):  # the name that it has
    """What PyO3 makes of a panic."""


def engine_that_raises(kind: type[BaseException], *, in_gradients: bool = False) -> NumpyTape:
    """An engine that takes no axis but the last for softmax, and computes no gradient of arrays without entries."""

    def softmax(x: Any, axis: int) -> Any:
        if axis != -1 and not in_gradients:
            raise kind("the last axis alone")
        return NumpyTape.ops["softmax"](x, axis=axis)

    class Raising(NumpyTape):
        def backward(self, output: Any, gradient: Any = None, *, retain: bool = False) -> None:
            if in_gradients:
                raise kind("no gradient of this")
            super().backward(output, gradient, retain=retain)

    backend = Raising()
    backend.ops = {**NumpyTape.ops, "softmax": softmax}  # type: ignore[misc]  # of this object alone
    return backend


def found_by_smoke(kind: type[BaseException], *, in_gradients: bool = False) -> tuple[MappedOp, list[str]]:
    """What smoke finds, and says, of an engine that raises this, without the name of the exception."""
    found = try_mapping(engine_that_raises(kind, in_gradients=in_gradients), ALL_OPS["softmax"], "float64")
    said = [str(remark).replace(kind.__name__, "Exception") for remark in remarks(found)]
    return found, said


@pytest.mark.parametrize("in_gradients", [False, True])
def test_a_panic_is_a_refusal_as_the_same_text_of_a_valueerror_is(in_gradients: bool) -> None:
    found, said = found_by_smoke(PanicException, in_gradients=in_gradients)
    assert not to_correct([found])
    assert bool(found.refused) != in_gradients
    assert bool(found.ungradable) == in_gradients
    assert said == found_by_smoke(ValueError, in_gradients=in_gradients)[1]


def test_what_ends_a_process_is_no_refusal() -> None:
    for stop in (SystemExit, GeneratorExit):
        assert to_correct([try_mapping(engine_that_raises(stop), ALL_OPS["softmax"], "float64")])


def test_a_panic_of_a_product_ends_no_process() -> None:
    assert refuses_products(engine_that_raises(PanicException, in_gradients=True), "float64")
    with pytest.raises(SystemExit):
        refuses_products(engine_that_raises(SystemExit, in_gradients=True), "float64")


def test_a_claim_lets_an_engine_refuse_by_a_panic() -> None:
    class Refusing(NumpyTape):
        def grad(self, leaf: Any) -> Any:
            raise PanicException("this is no leaf")

    question = next(q for q in questions(Refusing()) if q.claim == "what is detached gets no gradient")
    assert not try_question(question, Refusing())


@pytest.mark.parametrize("kind", [PanicException, ValueError])
def test_a_script_goes_on_after_a_refusal_of_any_class(kind: type[BaseException]) -> None:
    def ask(engine: Any) -> None:
        with pytest.raises(kind, match="the last axis alone"):
            engine.op("softmax")(engine.array(np.ones((2, 2))), axis=0)
        engine.numpy(engine.array(np.zeros(2)))

    script = script_of(engine_that_raises(kind), ask, None)
    clause = "except Exception as" if kind is ValueError else "except BaseException as"
    assert clause in script


@pytest.mark.parametrize("kind", [PanicException, ValueError])
def test_conventions_are_measured_of_an_engine_that_panics(kind: type[BaseException]) -> None:
    case = next(
        iter(draw_cases(ALL_OPS["tanh"], "float64", 0, Effort(signatures=1, draws=1, samples=1, programs=1)))
    )
    seen = Observation(engine_that_raises(kind, in_gradients=True), Oracle(ALL_OPS["tanh"], case))
    assert not _has_gradient([seen])


def test_a_gradient_that_is_refused_without_entries_alone_is_none_that_the_op_lacks() -> None:
    """Where the values of all other calls are wrong, only such calls are asked for their gradients."""

    class Refusing(NumpyTape):
        def backward(self, output: Any, gradient: Any = None, *, retain: bool = False) -> None:
            if not output.value.size:
                raise PanicException("no rows")
            super().backward(output, gradient, retain=retain)

    backend = Refusing()
    swapped = {"subtract": lambda x, y: NumpyTape.ops["subtract"](y, x)}
    backend.ops = {**NumpyTape.ops, **swapped}  # type: ignore[misc]  # of this object alone
    found = try_mapping(backend, ALL_OPS["subtract"], "float64")
    assert found.slips
    assert found.ungradable is None
    assert any("no rows" in finding.message for finding in found.suspect)
