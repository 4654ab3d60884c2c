"""Whose an exception is decides the verdict: a defect of the suite is never an engine's, and ends with exit code 3."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from importlib.metadata import entry_points
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from conformance_backends import numpy_engine
from conformance_backends.numpy_backend import NumpyTape

import conformance.checks.engine_calls as ours
from conformance.backend import NAME, Capability
from conformance.checks import load_all
from conformance.cli.pages.verdict_words import TABLE
from conformance.errors import AdapterError, Unsupported
from conformance.load import FURTHER, GROUP
from conformance.questions import items_of
from conformance.run.attribution import DEEPEST, Origin, cut_traceback, functions_of, origin_of
from conformance.run.conduct import INTERNAL, exit_code
from conformance.run.declarations import hold_declarations
from conformance.run.execute import Executor
from conformance.run.verdict import result_for, verdict_of
from conformance.runfile.records import Verdict
from conformance.selfcheck.selftest import registered_controls, registered_mutants
from conformance.strategies import Effort

from .test_smoke import TakesOneCotangent

EFFORT = Effort(signatures=1, draws=1, samples=1, programs=1)
(ITEM,) = (i for i in items_of("numpy", ("float64",)) if i.id == "numpy/op/tanh/vjp/float64")


def placed(source: str, file: str | None, **names: Any) -> Callable[..., Any]:
    """A function `f` of which every frame says that it is of the file."""
    exec(compile(source, file or "", "exec"), names)
    function: Callable[..., Any] = names["f"]
    return function


def raised(function: Callable[[], Any]) -> BaseException:
    with pytest.raises(Exception) as found:  # noqa: PT011 - whatever it is
        function()
    return found.value.with_traceback(found.value.__traceback__ and found.value.__traceback__.tb_next)


RAISING = "def f(*given):\n    raise error('slipped')"
CALLING = "def f(*given):\n    return function(*given)"
ENGINE = "/somewhere/engine.py"
README = Path(__file__).parents[3] / "README.md"


@pytest.mark.parametrize("error", [RuntimeError, KeyError, AttributeError, TypeError, SystemError])
def test_an_exception_is_of_whoever_raised_it(error: type[Exception]) -> None:
    of_engine = placed(RAISING, ENGINE, error=error)
    of_ours = placed(RAISING, ours.__file__, error=error)
    assert origin_of(raised(of_engine)) is Origin.ENGINE
    assert origin_of(raised(of_ours)) is Origin.OURS
    assert origin_of(raised(placed(CALLING, ours.__file__, function=of_engine))) is Origin.ENGINE
    assert origin_of(raised(placed(CALLING, ENGINE, function=of_ours))) is Origin.CALLBACK
    assert (
        origin_of(raised(placed(CALLING, ours.__file__, function=lambda: np.zeros(2).reshape(3))))
        is Origin.ENGINE
    )


def test_what_an_engine_makes_by_exec_is_of_its_module(monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType("made")
    module.__file__ = ENGINE
    monkeypatch.setitem(sys.modules, "made", module)
    for file, name, origin in (
        ("<string>", "made", Origin.ENGINE),
        ("<string>", "nobody", Origin.CALLBACK),
        ("<string>", 3, Origin.CALLBACK),
        ("<string>", ours.__name__, Origin.CALLBACK),  # a method of a data class, which says nothing
    ):
        generated = placed(RAISING, file, error=TypeError, __name__=name)
        of_ours = placed(CALLING, ours.__file__, function=generated)
        assert origin_of(raised(placed(CALLING, ENGINE, function=of_ours))) is origin, name


@pytest.mark.parametrize(
    "error", [RuntimeError, KeyError, AttributeError, TypeError, AssertionError, SystemExit]
)
def test_a_defect_of_a_check_is_an_internal_error_with_its_traceback(
    error: type[BaseException], monkeypatch: pytest.MonkeyPatch
) -> None:
    check = load_all()["op/vjp"]
    monkeypatch.setitem(check.__dict__, "function", placed(RAISING, ours.__file__, error=error))
    (result,) = Executor(NumpyTape(), seed=0, effort=EFFORT).results([ITEM])
    assert result.verdict is Verdict.INTERNAL_ERROR
    assert result.evidence is not None
    assert "slipped" in result.evidence.message
    assert "conformance/checks/engine_calls.py:2 in f" in str(result.evidence)
    assert exit_code([result], [], [], is_complete=True, was_interrupted=False) == INTERNAL == 3


def test_a_version_that_is_no_text_is_the_adapters_slip() -> None:
    class Unversioned(NumpyTape):
        def version(self) -> str:
            return None  # type: ignore[return-value]

    with pytest.raises(AdapterError, match="returned NoneType, where a text is expected"):
        hold_declarations(Unversioned())


@pytest.mark.parametrize("odd", ["1\n2", "1\u20282", "", "  ", "x" * 5000, None, 3])
@pytest.mark.parametrize("member", ["version", "engine"])
def test_a_version_or_an_engine_that_is_no_line_of_text_is_refused(member: str, odd: Any) -> None:
    backend = NumpyTape()
    setattr(backend, member, (lambda: odd) if member == "version" else odd)
    with pytest.raises(AdapterError, match=rf"NumpyTape\.{member}.*, where a text is expected"):
        hold_declarations(backend)


@pytest.mark.parametrize(
    "odd",
    ["../../evil", "a\nb", "*", "mine/op/tanh", "x" * 5000, "\udc80", "a b", "..", "<b>x", "-x", ".x", "x\n"],
)
def test_a_name_that_would_break_ids_and_patterns_is_refused(odd: str) -> None:
    backend = NumpyTape()
    backend.name = odd
    with pytest.raises(AdapterError, match="begins every id and query"):
        hold_declarations(backend)


@pytest.mark.parametrize("name", ["torch.func", "my-engine_2", "Größe", "_mine", "2nd"])
def test_a_name_of_letters_and_digits_is_taken(name: str) -> None:
    backend = NumpyTape()
    backend.name = name
    hold_declarations(backend)


def test_every_name_of_a_registered_backend_is_one_that_an_adapter_may_have() -> None:
    names = [point.name for group in (GROUP, FURTHER) for point in entry_points(group=group)]
    names += [*registered_mutants(), *registered_controls()]
    assert "torch.func" in names
    assert [name for name in names if not NAME.fullmatch(name)] == []


def test_recursion_without_end_is_of_whose_frames_most_are() -> None:
    endless = "def f():\n    return f()"
    step = placed("def f(call):\n    return call()", ours.__file__)
    of_both = placed("def f():\n    return step(lambda: f())", ENGINE, step=step)  # ours is often the last
    assert origin_of(raised(of_both)) is Origin.ENGINE
    assert origin_of(raised(placed(endless, ENGINE))) is Origin.ENGINE
    assert origin_of(raised(placed(endless, ours.__file__))) is Origin.OURS


def test_the_traceback_of_calls_without_end_is_cut() -> None:
    def nested(left: int) -> None:
        if not left:
            raise MemoryError
        nested(left - 1)

    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(4 * DEEPEST)
    try:
        failure = raised(lambda: nested(2 * DEEPEST))
    finally:
        sys.setrecursionlimit(limit)
    cut_traceback(failure)
    assert len(functions_of(failure)) == DEEPEST


def test_memory_that_ends_while_an_answer_is_copied_is_not_called_a_defect() -> None:
    class Huge(NumpyTape):
        """Its arrays are views of one number, which have a size when they are copied."""

        def numpy(self, array: Any) -> Any:
            return np.broadcast_to(1.0, (2**20, 2**20))

    (result,) = Executor(Huge(), seed=0, effort=EFFORT).results([ITEM])
    assert result.verdict is Verdict.ERROR
    assert result.evidence is not None
    assert "Unable to allocate" in result.evidence.message
    assert "a defect" not in result.evidence.message


def test_what_an_engine_made_of_a_function_raises_in_c_is_the_engines() -> None:
    class Mapped(NumpyTape):
        """Its `vectorized` returns what has no frame in Python."""

        capabilities = NumpyTape.capabilities | {Capability.VECTORIZING}

        def vectorized(self, function: Any) -> Any:
            return [].index

    (item,) = (i for i in items_of("numpy", ("float64",)) if i.id == "numpy/op/add/mapped-captured/float64")
    (result,) = Executor(Mapped(), seed=0, effort=EFFORT, scripts=False, shrink=False).results([item])
    assert result.verdict is Verdict.ERROR
    assert result.evidence is not None
    assert "not in list" in result.evidence.message


@pytest.mark.parametrize("check", ["signed-zeros", "at-infinity", "beside-nan", "magnitudes"])
def test_an_adapter_is_given_arrays_and_no_numbers_of_numpy(check: str) -> None:
    """Some engines take a number of NumPy's for one of Python's, and convert equal ones, such as both zeros, once."""

    class Strict(NumpyTape):
        def array(self, value: Any) -> Any:
            assert type(value) is np.ndarray
            return super().array(value)

    items = [i for i in items_of("numpy", ("float64",)) if i.id == f"numpy/op/where/{check}/float64"]
    several = Effort(signatures=12, draws=2, samples=1, programs=1)
    for result in Executor(Strict(), seed=0, effort=several, scripts=False, shrink=False).results(items):
        assert result.verdict in (Verdict.PASS, Verdict.UNDECIDED), result.evidence


class PullbackAlone(TakesOneCotangent):
    """Its pullback comes without the output."""

    def pullback(self, function: Any, arrays: Any) -> Any:
        return numpy_engine.vjp(function, *arrays)[1]


class PullbackLater(PullbackAlone):
    """Its pullback is to be awaited."""

    async def pullback(self, function: Any, arrays: Any) -> Any:
        return numpy_engine.vjp(function, *arrays)


@pytest.mark.filterwarnings("ignore:coroutine 'PullbackLater.pullback' was never awaited")
@pytest.mark.parametrize("adapter", [PullbackAlone, PullbackLater])
def test_a_pullback_that_comes_without_its_output_is_the_adapters_slip(adapter: type[PullbackAlone]) -> None:
    failure = raised(lambda: adapter().vjp(NumpyTape.ops["negative"], [np.ones(3)], [np.ones(3)]))
    assert verdict_of(failure, adapter) is Verdict.ADAPTER_ERROR


class TakesTooLittle(NumpyTape):
    """Its methods do not take what the protocol gives them."""

    def backward(self, output: Any) -> None:  # type: ignore[override]
        super().backward(output)


class FinishesNothing(NumpyTape):
    """The same, of a method that a check calls."""

    def finish(self) -> None:  # type: ignore[override]
        raise AssertionError


@pytest.mark.parametrize(
    ("adapter", "said"),
    [
        (TakesTooLittle, "TakesTooLittle.backward() got an unexpected keyword argument 'retain'"),
        (FinishesNothing, "FinishesNothing.finish() takes 1 positional argument but 2 were given"),
    ],
)
def test_a_method_that_does_not_take_what_the_protocol_gives_is_the_adapters_slip(
    adapter: type[NumpyTape], said: str
) -> None:
    (result,) = Executor(adapter(), seed=0, effort=EFFORT, shrink=False).results([ITEM])
    assert (result.verdict, result.evidence and result.evidence.message) == (
        Verdict.ADAPTER_ERROR,
        f"TypeError: {said}",
    )


def test_a_call_of_ours_that_does_not_fit_is_no_adapters_slip() -> None:
    calling = placed(CALLING, ours.__file__, function=lambda: None)
    assert origin_of(raised(partial(calling, 1))) is Origin.OURS


@pytest.mark.parametrize("reason", ["", "not here", None])
def test_an_op_that_is_not_offered_is_unsupported_with_and_without_a_reason(reason: str | None) -> None:
    def op(x: Any) -> Any:
        raise Unsupported(reason)

    engine = type("Declines", (NumpyTape,), {"ops": {**NumpyTape.ops, "tanh": op}})
    (result,) = Executor(engine(), seed=0, effort=EFFORT).results([ITEM])
    assert (result.verdict, result.evidence and result.evidence.message) == (
        Verdict.UNSUPPORTED,
        reason or "the adapter gives no reason",
    )


@pytest.mark.parametrize(
    ("verdict", "code"), [(Verdict.FAIL, 1), (Verdict.ADAPTER_ERROR, 1), (Verdict.INTERNAL_ERROR, 3)]
)
def test_the_exit_code_of_a_verdict_is_the_one_that_the_pages_say(verdict: Verdict, code: int) -> None:
    results = [
        result_for(ITEM, given, cases=1, seconds=0.0, accuracy=None) for given in {verdict, Verdict.FAIL}
    ]
    assert exit_code(results, [], [], is_complete=True, was_interrupted=False) == code
    if verdict is not Verdict.FAIL:
        assert f"the run exits with {code}" in TABLE[verdict.value]
        (row,) = (
            line for line in README.read_text("utf-8").splitlines() if line.startswith("| adapter_error")
        )
        _, adapter, project = row.replace("|", " · ").split("(exit code ")
        assert {Verdict.ADAPTER_ERROR: adapter, Verdict.INTERNAL_ERROR: project}[verdict].startswith(
            str(code)
        )
