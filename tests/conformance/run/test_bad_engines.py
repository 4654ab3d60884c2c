"""An engine or adapter that misbehaves costs exactly the answers it spoils."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from conformance.questions import questions_in

pytestmark = pytest.mark.costly

HIT = "op/tanh/layout/float64"  # the only question that hands out arrays that are not in C order
QUERIES = ("-q", "op/tanh/*/float64", "-q", "op/exp/*/float64")


def run_dying(command: Any, adapters: Path, *names: str, timeout: int = 60) -> Any:
    specs = [f"{adapters / 'dies.py'}:{name}" for name in names]
    done = command("run", *specs, *QUERIES, "-n", 1, "--timeout", timeout)
    assert done.run.is_complete, done.said
    assert done.code == 1, done.said
    return done


def only_the_hit_question_is(done: Any, name: str, verdict: str) -> str:
    verdicts = {i: v for i, v in done.verdicts.items() if i.startswith(f"{name}/")}
    assert verdicts.pop(f"{name}/{HIT}") == verdict, done.said
    assert len(verdicts) > 20
    assert set(verdicts.values()) - {"unsupported"} == {"pass"}
    assert {identifier.split("/")[2] for identifier in verdicts} == {"tanh", "exp"}
    message: str = done.result(f"{name}/{HIT}").evidence.message
    return message


def test_an_op_that_ends_the_process_is_one_crash(command: Any, adapters: Path) -> None:
    done = run_dying(command, adapters, "Exits", "Segfaults")
    assert only_the_hit_question_is(done, "Exits", "crash") == "this ended the process\n(exit 3)"
    assert "Segmentation fault" in only_the_hit_question_is(done, "Segfaults", "crash")


def test_a_case_that_ends_the_process_in_two_questions_is_asked_of_no_other(
    command: Any, adapters: Path
) -> None:
    done = run_dying(command, adapters, "ExitsWhereEmpty")
    crashed = {i for i, verdict in done.verdicts.items() if verdict == "crash"}
    cases = {done.result(i).evidence.token for i in crashed}
    assert cases
    assert len(crashed) <= 2 * len(cases), crashed
    assert set(done.verdicts.values()) - {"unsupported", "undecided"} == {"crash", "pass"}


def test_a_crash_and_a_timeout_have_the_case_that_they_died_of(command: Any, adapters: Path) -> None:
    done = run_dying(command, adapters, "Exits", "HangsInC", timeout=6)
    for name in ("Exits", "HangsInC"):
        evidence = done.result(f"{name}/{HIT}").evidence
        assert evidence.case["op"] == "tanh"
        ((_, question),) = questions_in(evidence.token, "op/layout")
        assert question.input.as_json() == evidence.case


def test_an_op_that_hangs_is_one_timeout(command: Any, adapters: Path) -> None:
    done = run_dying(command, adapters, "Hangs", "HangsInC", timeout=6)
    for name in ("Hangs", "HangsInC"):
        assert only_the_hit_question_is(done, name, "timeout").startswith("no answer within 6 s")


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux holds a process to its limit on data")
def test_an_op_that_takes_all_memory_is_one_error(command: Any, adapters: Path) -> None:
    done = run_dying(command, adapters, "TakesAllMemory")
    assert "MemoryError: " in only_the_hit_question_is(done, "TakesAllMemory", "error")


def test_an_exception_beyond_exception_is_one_error(command: Any, adapters: Path) -> None:
    messages = {
        "RaisesSystemExit": "SystemExit: 0",
        "RaisesKeyboardInterrupt": "KeyboardInterrupt: ",
        "RaisesBare": "Bare: outside the tree",
    }
    done = run_dying(command, adapters, *messages)
    for name, message in messages.items():
        assert only_the_hit_question_is(done, name, "error") == message


def test_a_contract_that_ends_the_process_stops_no_other(command: Any, adapters: Path) -> None:
    # the clauses whose contracts cut a value from its history
    cut = {"A14", "B12", "C2", "C3", "C5", "C6", "C11", "E4"}
    queries = [part for asked in ("A1*", "B12", "C*", "D4", "E4") for part in ("-q", f"contract/{asked}")]
    done = command("run", f"{adapters / 'dies.py'}:ExitsInContracts", *queries, "-n", 1)
    crashed = {i.split("/")[2] for i, verdict in done.verdicts.items() if verdict == "crash"}
    assert crashed == cut
    assert done.run.counts()["pass"] > 15
    assert done.run.is_complete


DAMAGING = """
import os
from conformance_backends.numpy_backend import NumpyTape

IS_DAMAGED = False


def exp(x):
    global IS_DAMAGED
    IS_DAMAGED = True
    return NumpyTape.ops["exp"](x)


def tanh(x):
    if IS_DAMAGED:
        os._exit(11)
    return NumpyTape.ops["tanh"](x)


class Damaging(NumpyTape):
    engine = "damaging"
    dtypes = ("float64",)
    ops = {**NumpyTape.ops, "exp": exp, "tanh": tanh}
"""


ENDED = "this ended a process, and not another: what was asked before it may have damaged its memory: exp"


def test_what_ends_a_process_that_another_op_may_have_damaged_says_so(command: Any, tmp_path: Path) -> None:
    (tmp_path / "damaging.py").write_text(DAMAGING, encoding="utf-8")
    run = ("run", tmp_path / "damaging.py", "-q", "op/exp/vjp", "-q", "op/tanh/vjp", "-n", 1)
    done = command(*run)
    hit = "damaging/op/tanh/vjp/float64"
    assert done.code == 1, done.said
    assert {i for i, verdict in done.verdicts.items() if verdict != "pass"} == {hit}
    assert done.verdicts[hit] == "crash"
    assert done.result(hit).evidence.message == ENDED
    assert done.run.end.unexplained == (f"{hit}: {ENDED}",)
    assert f"{hit}: {ENDED}" in " ".join(done.said.split())


def test_what_ends_a_process_and_is_not_offered_is_no_crash(command: Any, tmp_path: Path) -> None:
    refusing = DAMAGING.replace('return NumpyTape.ops["tanh"](x)', 'raise Unsupported("no tanh")')
    text = f"from conformance.errors import Unsupported\n{refusing}"
    (tmp_path / "damaging.py").write_text(text, encoding="utf-8")
    done = command("run", tmp_path / "damaging.py", "-q", "op/exp/vjp", "-q", "op/tanh/vjp", "-n", 1)
    assert done.code == 0, done.said
    assert done.verdicts["damaging/op/tanh/vjp/float64"] == "unsupported"
    assert done.run.end.unexplained == (f"damaging/op/tanh/vjp/float64: {ENDED}",)


def test_two_workers_that_die_over_and_over_leave_every_question_answered(
    command: Any, adapters: Path
) -> None:
    done = command("run", adapters / "dies_always.py", "-q", "op/tanh/v*/float64", "-q", "op/exp", "-n", 2)
    tanh = {i: v for i, v in done.verdicts.items() if "/tanh/" in i}
    assert tanh
    assert set(tanh.values()) == {"crash"}
    assert set(done.verdicts.values()) - {"unsupported"} == {"crash", "pass"}
    assert done.run.is_complete


def test_an_op_that_ends_the_process_is_left_out_of_what_asks_about_all_ops(
    command: Any, adapters: Path
) -> None:
    queries = ("-q", "op/tanh/vjp/float64", "-q", "contract/C8/n*", "-q", "contract/D3/saved-output")
    done = command("run", adapters / "dies_always.py", *queries, "-n", 1)
    contracts = {i: v for i, v in done.verdicts.items() if "/contract/" in i}
    assert contracts
    assert set(contracts.values()) == {"pass", "unsupported"}
    assert done.verdicts["dies_always/contract/D3/saved-output"] == "pass"
    named = done.result("dies_always/contract/C8/named").evidence
    assert named is not None
    assert named.message == "tanh ended the process, so it is left out here"
    assert done.verdicts["dies_always/op/tanh/vjp/float64"] == "crash"
    assert done.run.end is not None
    assert done.run.end.left_out == ("dies_always/op/tanh",)
    assert "questions about other things were asked without: dies_always/op/tanh" in done.said


def test_the_error_names_what_an_adapter_that_returns_lists_should_return(
    command: Any, adapters: Path
) -> None:
    done = command("run", adapters / "returns_lists.py", "-q", "op/tanh/vjp/float64", "-n", 1)
    (result,) = done.run.results
    assert result.verdict == "adapter_error"
    assert result.evidence.message == (
        "ReturnsLists.numpy() returned list, where a numpy.ndarray of numbers is expected, of tanh (3,) float64"
    )
    assert done.code == 1


def test_adapters_that_cannot_start_do_not_stop_the_others(command: Any, adapters: Path) -> None:
    why = {
        "raises_at_import": "RuntimeError: libengine.so.7: cannot open shared object file",
        "quits_at_import": "SystemExit: no licence for this engine",
        "exits_at_import": "ended its process (exit 7) while starting",
        "killed_at_import": "ended its process (SIGKILL, perhaps for want of memory) while starting: it said nothing",
        "hangs_at_import": "did not start within 5 s",
        "hangs_when_made": "did not start within 5 s",
        "no_backend": "holds no subclass of TapeBackend or FunctionalBackend",
    }
    specs = [adapters / f"{name}.py" for name in why]
    done = command("run", *specs, "numpy", "-q", "op/tanh/vjp/float64", "-n", 1, CONFORMANCE_PATIENCE="5")
    assert done.code == 11
    assert done.verdicts == {"numpy/op/tanh/vjp/float64": "pass"}
    errors = {backend.name: backend.error for backend in done.run.header.backends}
    for name, reason in why.items():
        assert reason in errors[name]
        assert reason in done.said


def test_names_and_messages_full_of_markup_reach_terminal_and_file_as_text(
    command: Any, adapters: Path
) -> None:
    done = command(
        *("run", f"{adapters / 'hostile.py'}:Hostile", "-q", "op/tanh/vjp/float64", "-n", 1),
        *("--html", "run.html", "--junit", "run.xml"),
    )
    assert done.code == 1
    (result,) = done.run.results
    assert r"[red]bold[/red] [/nothing] \x1b[2J" in result.evidence.message
    assert result.evidence.message in done.out
    assert "\x1b" not in done.out
    assert "\x00" not in done.out
    assert "<script>alert(1)" not in (done.folder / "run.html").read_text()
    assert (done.folder / "run.xml").is_file()


def test_a_class_with_a_name_that_no_query_could_hold_is_refused_with_the_rule(
    command: Any, tmp_path: Path
) -> None:
    (tmp_path / "odd.py").write_text(
        "from conformance_backends.numpy_backend import NumpyTape\n"
        "globals()['<script>[b]'] = type('<script>[b]', (NumpyTape,), {'__module__': __name__})\n"
    )
    done = command("run", "odd.py:<script>[b]", "-q", "op/exp/vjp/float64", "-n", 1)
    assert (done.code, done.verdicts) == (11, {})
    assert "'<script>[b]'" in done.said
    assert "letters, digits, dots, '-' and '_'" in done.said


def test_a_file_with_an_engine_s_name_does_not_hide_the_engine(command: Any, tmp_path: Path) -> None:
    (tmp_path / "numpy.py").write_text(
        "from conformance_backends.numpy_backend import NumpyTape\nclass Mine(NumpyTape): pass\n"
    )
    done = command("run", "./numpy.py:Mine", "-q", "op/exp/vjp/float64", "-n", 1, PYTHONSAFEPATH="1")
    assert done.verdicts == {"Mine/op/exp/vjp/float64": "pass"}, done.said


def test_two_backends_of_one_name_are_refused(command: Any, adapters: Path, tmp_path: Path) -> None:
    (tmp_path / "wrong_tanh.py").write_text((adapters / "wrong_tanh.py").read_text())
    done = command("run", adapters / "wrong_tanh.py", "wrong_tanh.py")
    assert done.code == 4
    path = adapters / "wrong_tanh.py"
    assert (
        f"two backends have one name, wrong_tanh: {path} and wrong_tanh.py; the class attribute `name`"
        in done.err
    )


def test_an_engine_whose_workers_cannot_start_is_not_started_and_the_suite_is_not_blamed(
    command: Any, adapters: Path
) -> None:
    done = command("run", adapters / "ends_in_workers.py", "-q", "op/tanh/vjp/float64", "-n", 1)
    assert done.code == 11
    assert "could not start: 3 workers could not start; the last one: it ended (exit 9)" in done.out
    assert "no licence for a second process" in done.out
    assert "of the suite" not in done.said
    assert not done.run.results
    assert "3 workers could not start" in done.run.end.trouble[0]


RAISES_IN_WORKERS = """
import os

from conformance_backends.numpy_backend import NumpyTape

if "PYTEST_XDIST_WORKER" in os.environ:
    raise RuntimeError("one process alone")


class Engine(NumpyTape):
    pass
"""

PATCHES_AT_IMPORT = """
import sys

from conformance_backends.numpy_backend import NumpyTape

sys.executed = getattr(sys, "executed", 0) + 1
if sys.executed > 1:
    raise RuntimeError("executed twice")


class Engine(NumpyTape):
    pass
"""


def test_an_adapter_that_raises_in_a_worker_is_named_with_its_exception(command: Any, tmp_path: Path) -> None:
    (tmp_path / "alone.py").write_text(RAISES_IN_WORKERS)
    done = command("run", tmp_path / "alone.py", "-q", "op/tanh/vjp/float64", "-n", 1)
    assert done.code == 11
    assert "could not start: in a worker, the adapter" in done.out
    assert "RuntimeError: one process alone" in done.out
    assert "of the suite" not in done.said


def test_an_adapter_is_executed_once_in_a_process(command: Any, tmp_path: Path) -> None:
    (tmp_path / "patches.py").write_text(PATCHES_AT_IMPORT)
    done = command("run", tmp_path / "patches.py", "-q", "op/tanh/vjp/float64", "-n", 1)
    assert done.code == 0, done.said


def test_every_backend_may_have_queries_of_its_own(command: Any, adapters: Path) -> None:
    """They are asked of several engines, each of which has nothing that the other's query matches."""
    queries = ("-q", "RaisesBare/op/exp/vjp", "-q", "numpy/op/tanh/vjp")
    done = command("run", f"{adapters / 'dies.py'}:RaisesBare", "numpy", *queries, "-n", 1)
    assert done.code == 0, done.said
    assert {identifier.rpartition("/")[0] for identifier in done.verdicts} == {
        "RaisesBare/op/exp/vjp",
        "numpy/op/tanh/vjp",
    }
