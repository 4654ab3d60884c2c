"""What other threads do stands in a script as a function that a thread runs; what several do at once cannot, and is said."""

from __future__ import annotations

import contextlib
import io
import threading
from typing import Any

import numpy as np
import pytest
from conformance_backends.numpy_backend import NumpyTape

from conformance.checks import load_all
from conformance.checks.b_graph.history_runner import in_other_thread
from conformance.checks.sample import Sample
from conformance.errors import Violation
from conformance.scripts.builder import ScriptBuilder
from conformance.scripts.script import script_of


def builder() -> ScriptBuilder:
    engine = NumpyTape()
    assert engine.dialect is not None
    return ScriptBuilder(engine, engine.dialect)


def test_the_pass_of_another_thread_stands_between_those_of_this_one() -> None:
    """Also where it bears on nothing that is printed: the claim is that it does not."""
    check = load_all()["contract/B15/passes-between"]
    got = np.zeros(3)

    class Forgets(NumpyTape):
        def grad(self, leaf: Any) -> Any:
            return got

    failure = Violation("lost", got=got)
    script = script_of(Forgets(), lambda engine: check.function(engine, Sample(0, "float64")), failure)
    lines = script.splitlines()
    assert lines[0] == "from concurrent.futures import ThreadPoolExecutor"
    (start,) = (n for n, line in enumerate(lines) if line == "def elsewhere0():")
    run = lines.index("    pool.submit(elsewhere0).result()")
    assert any(".backward(" in line for line in lines[start:run])
    assert any(".backward(" in line for line in lines[run:])
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(script, {})
    assert printed.getvalue()
    assert "not the whole program" not in script


def test_what_another_thread_makes_is_known_in_this_one_and_its_error_is_raised() -> None:
    made = builder()
    made.write("a = 1")
    in_other_thread(lambda: made.write("b = a + 1"))
    made.write("print(a + b)")
    script = made.text(None)
    assert "    global b\n" in script
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(script, {})
    assert printed.getvalue() == "3\n"
    raising = builder()
    in_other_thread(lambda: raising.write("raise ValueError('in a thread')"))
    with pytest.raises(ValueError, match="in a thread"):
        exec(raising.text(None), {})


def test_a_block_in_a_scope_stays_in_it() -> None:
    made = builder()
    made.write("import contextlib")
    made.write("with contextlib.suppress(KeyError):")
    made.indent = "    "
    in_other_thread(lambda: made.write("raise KeyError"))
    exec(made.text(None), {})


def test_what_a_function_calls_in_another_thread_is_said_to_be_lacking() -> None:
    made, named = builder(), list[str]()
    with made.definition(["a0"], named):
        thread = threading.Thread(target=lambda: made.lines.append(made._threads.line("    t0 = a0 + 1")))
        thread.start()
        thread.join()
        made.write("return t0")
    script = made.text(None)
    assert script.startswith("# not the whole program: another thread made some of the calls")
    assert script.endswith("def f0(a0):\n    return a0 + 1")


def test_calls_of_threads_at_the_same_time_are_said_to_be() -> None:
    made, meeting = builder(), threading.Barrier(3)

    def work(number: int) -> None:
        meeting.wait()
        made.write(f"y{number} = {number}")
        meeting.wait()
        made.write(f"print(y{number})")

    threads = [threading.Thread(target=work, args=(number,)) for number in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    script = made.text(None)
    assert script.startswith(
        "# not the whole program: the calls below were made in 4 threads, 3 of them at the same time\n"
    )
    assert "elsewhere" not in script


def test_a_scope_that_one_thread_begins_and_another_ends_is_said_to_be_lacking() -> None:
    made = builder()

    def begin() -> None:
        made.write("with scope():")
        made.indent = "    "

    in_other_thread(begin)
    made.write("y0 = 1")
    made.indent = ""
    made.write("print(y0)")
    script = made.text(None)
    assert script.startswith("# not the whole program: another thread made some of the calls below\n")
    assert "with scope():\n    y0 = 1\n" in script
