"""What comes and goes from call to call is listed with a `*`: an id without one is a promise that it fails at any seed."""

from __future__ import annotations

from pathlib import Path

from conformance.runfile.known_file import read_known
from conformance.runfile.listing import write_known
from conformance.runfile.records import Evidence, ResultLine, Verdict


def result(check: str, verdict: Verdict, op: str = "max_pool2d", dtype: str = "float64") -> ResultLine:
    said = (
        Evidence(message="the value differs from the reference value: 3.5, not 2")
        if verdict is not Verdict.PASS
        else None
    )
    name = f"mine/op/{op}/{check}/{dtype}"
    return ResultLine(name, "mine", "op", op, check, "E22", "must", dtype, verdict, 1, 0.0, evidence=said)


def test_a_failure_of_an_op_that_is_not_repeatable_is_listed_with_a_star(tmp_path: Path) -> None:
    path = tmp_path / "known.toml"
    steady = result("value", Verdict.FAIL, "tanh")
    write_known(path, [result("repeatable", Verdict.FAIL), result("value", Verdict.FAIL), steady], "")
    ids = {i for entry in read_known(path) for i in entry.ids}
    assert ids == {"mine/op/max_pool2d/repeatable/float64*", "mine/op/max_pool2d/value/float64*", steady.id}


def test_a_promise_of_such_an_op_that_passes_is_taken_back(tmp_path: Path) -> None:
    path = tmp_path / "known.toml"
    first = [result("value", Verdict.FAIL), result("value", Verdict.FAIL, "tanh")]
    assert write_known(path, first, "") == 2
    passing = [result("value", Verdict.FIXED), result("value", Verdict.FIXED, "tanh")]
    assert write_known(path, [*passing, result("repeatable", Verdict.KNOWN)], "") == 0
    ids = {i for entry in read_known(path) for i in entry.ids}
    assert ids == {"mine/op/max_pool2d/value/float64*", "mine/op/tanh/value/float64"}
