"""The lines of a measurement: numbers for right engines, reasons for the others."""

from __future__ import annotations

import msgspec
import pytest

from conformance.errors import UsageError
from conformance.runfile.records import Line, TimingLine
from conformance.timing.measure import HAND_WRITTEN, Progress, measure
from conformance.timing.programs import WORKLOADS
from conformance.timing.rounds import Budget, Contender, Rounds, time_interleaved
from conformance.timing.workloads import SIZES

from . import engines

pytestmark = pytest.mark.costly

QUICK = Budget(rounds=3, least=3, seconds=0.01, round_seconds=1e-5)


@pytest.fixture(scope="module")
def lines() -> list[TimingLine]:
    """One right engine, one reference, and every wrong one, on the smallest MLP."""
    backends = [engines.Right(), engines.Right("reference"), *(engine() for engine in engines.WRONG)]
    return list(measure(backends, reference="reference", budget=QUICK, workloads=["mlp"], sizes=["small"]))


def of(lines: list[TimingLine], backend: str) -> list[TimingLine]:
    return [line for line in lines if line.backend == backend]


def test_each_backend_has_a_line_for_the_value_and_one_for_the_gradient(lines: list[TimingLine]) -> None:
    backends = [HAND_WRITTEN, "right", "reference", *(engine.__name__.lower() for engine in engines.WRONG)]
    assert [(line.what, line.backend) for line in lines] == [
        (w, b) for w in ("forward", "gradient") for b in backends
    ]
    assert {(line.workload, line.size, line.dtype) for line in lines} == {("mlp", "1x4x4x2", "float64")}


def test_a_right_engine_has_numbers_in_order(lines: list[TimingLine]) -> None:
    for line in of(lines, "right"):
        assert line.refused == ""
        assert 0 < line.low <= line.median <= line.high
        assert 0 < line.ratio_low <= line.ratio <= line.ratio_high
        assert line.ratio_to_reference > 0
        assert line.compile_seconds is None  # it compiles nothing
        assert line.share is not None
        assert line.spread >= 1.0
        assert line.rounds == 3


def timed(engine: engines.Asynchronous) -> dict[str, TimingLine]:
    found = measure([engine], reference="", budget=QUICK, workloads=["mlp"], sizes=["small"])
    return {line.what: line for line in found if line.backend == engine.name}


def test_the_time_of_an_asynchronous_engine_holds_the_work_that_it_only_dispatched() -> None:
    engine = engines.Asynchronous()
    for line in timed(engine).values():
        assert line.median >= engine.seconds  # sleeping takes no less, however busy the machine is
    assert engine.abandoned == 0, "no call begins before the one before is done"


def test_an_adapter_that_does_not_say_how_to_wait_times_the_dispatch_alone() -> None:
    """Without `finish` the test above fails: what it holds is the waiting, and nothing else."""
    engine = engines.NeverWaitedFor()
    assert {line.refused for line in timed(engine).values()} == {""}
    assert engine.abandoned > 0


def test_rounds_that_wait_for_a_device_are_known(monkeypatch: pytest.MonkeyPatch) -> None:
    waiting: dict[str, bool] = {}

    def noted(contenders: list[Contender], *arguments: object) -> dict[str, Rounds]:
        waiting.update({contender.name: contender.waits for contender in contenders})
        return time_interleaved(contenders, *arguments)

    monkeypatch.setattr("conformance.timing.measure.time_interleaved", noted)
    timed(engines.Asynchronous())
    assert waiting == {HAND_WRITTEN: False, "asynchronous": True, "calibration": False}


def test_the_reference_is_once_itself(lines: list[TimingLine]) -> None:
    assert [line.ratio_to_reference for line in of(lines, "reference")] == [1.0, 1.0]


def test_the_hand_written_form_is_not_divided_by_itself(lines: list[TimingLine]) -> None:
    for line in of(lines, HAND_WRITTEN):
        assert line.median > 0
        assert line.ratio is line.ratio_low is line.ratio_high is line.compile_seconds is None


@pytest.mark.parametrize("engine", engines.WRONG)
def test_a_wrong_engine_has_a_reason_and_no_number(engine: type, lines: list[TimingLine]) -> None:
    numbers = (
        "median",
        "low",
        "high",
        "compile_seconds",
        "ratio",
        "ratio_low",
        "ratio_high",
        "ratio_to_reference",
    )
    for line in of(lines, engine.__name__.lower()):
        assert line.refused
        assert [getattr(line, number) for number in numbers] == [None] * len(numbers)
        assert line.rounds == 0


def test_a_reason_names_the_exception(lines: list[TimingLine]) -> None:
    assert {line.refused for line in of(lines, "raises")} == {"RuntimeError: out of order"}
    assert {line.refused for line in of(lines, "lacksops")} == {"Unsupported: no matmul here"}


def test_lines_survive_the_run_file(lines: list[TimingLine]) -> None:
    for line in lines:
        assert msgspec.json.decode(msgspec.json.encode(line), type=Line) == line


def test_a_dtype_without_gradients_is_refused() -> None:
    found = list(
        measure(
            [engines.OnlyDouble()],
            reference="",
            dtype="float32",
            budget=QUICK,
            workloads=["mlp"],
            sizes=["small"],
        )
    )
    assert {line.refused for line in of(found, "onlydouble")} == {"right has no gradients in float32"}
    assert {line.dtype for line in found} == {"float32"}


def test_without_the_reference_there_is_no_ratio_to_it() -> None:
    found = measure([engines.Right()], reference="absent", budget=QUICK, workloads=["mlp"], sizes=["small"])
    assert {line.ratio_to_reference for line in found} == {None}


def test_every_workload_is_measured_with_progress_reported() -> None:
    reported: list[Progress] = []
    found = list(measure([], reference="", budget=QUICK, sizes=["small"], on_progress=reported.append))
    assert [(p.done, p.total) for p in reported] == [(i, len(WORKLOADS)) for i in range(len(WORKLOADS))]
    assert {p.workload for p in reported} == set(WORKLOADS)
    assert len(found) == 2 * len(WORKLOADS)


def test_every_size_is_measured() -> None:
    found = list(measure([], reference="", budget=QUICK, workloads=["mlp"]))
    assert len(found) == 2 * len({line.size for line in found}) == 2 * len(SIZES)


def test_what_does_not_exist_is_refused_at_once() -> None:
    with pytest.raises(UsageError, match="no workload called 'mpl'; there are linear, mlp"):
        measure([], reference="", workloads=["mpl"])
    with pytest.raises(UsageError, match="no size called 'giant'"):
        measure([], reference="", sizes=["giant"])
