"""A script keeps what shows the failure, and nothing else."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Iterator
from itertools import islice

import numpy as np
import pytest
from conformance_backends.mutants import MUTANTS
from conformance_backends.numpy_backend import NumpyTape

from conformance.backend import Backend
from conformance.case import Case
from conformance.checks import load_all
from conformance.checks.registry import NotThisCase
from conformance.checks.sample import Sample
from conformance.dialect import Dialect
from conformance.errors import Violation
from conformance.ops import find
from conformance.questions.cases import CaseQuestion
from conformance.scripts.formulas import NoFormula, formula_of
from conformance.scripts.script import script_of
from conformance.scripts.shorten import shortened
from conformance.strategies import Effort, draw_cases


def test_only_what_the_shown_print_needs_is_kept() -> None:
    text = "import os\na = 1\nb = 2\nprint(a)\nd = b + 1\nprint(d)"
    assert shortened(text, ["print(a)"]) == "print(1)"
    assert shortened(text, ["print( d )"]) == "b = 2\nprint(b + 1)"


def test_an_import_whose_name_nothing_uses_is_kept_for_what_it_does() -> None:
    """A plugin of an engine, or what makes an old engine run beside a new NumPy; not an alias, nor a standard module."""
    imports = (
        "import os\nimport numpy as np\nimport patches  # by hand\nimport engine\nimport engine.nn as nn"
    )
    effects = Dialect(imports=imports, array="engine.array({values})", further={"jvp": "nn.jvp()"}).effects
    assert effects == {"patches"}
    assert shortened(f"{imports}\na = 1\nprint(a)", ["print(a)"], effects) == "import patches\nprint(1)"


def test_a_backward_pass_is_kept_where_it_reaches_what_is_shown() -> None:
    text = "x = leaf()\nw = leaf()\ny = f(x)\nz = f(w)\ny.backward(1)\nz.backward(2)\nprint(x.grad)\nprint(w.grad)"
    assert shortened(text, ["print(w.grad)"]) == "w = leaf()\nz = f(w)\nz.backward(2)\nprint(w.grad)"


def test_the_other_calls_of_a_custom_rule_are_kept() -> None:
    """It may keep what belongs to a call, such as its operands, and mistake them for another call's."""
    lines = (
        "rule0 = custom(1)",
        "x0 = leaf(1)",
        "y0 = rule0(x0)",
        "x1 = leaf(2)",
        "y1 = rule0(x1)",
        "x2 = leaf(3)",
        "y2 = other(x2)",
        "y1.backward(1)",
        "y0.backward(2)",
        "print(x0.grad)",
        "y3 = rule0(x0)",
        "print(y3)",
    )
    text = "\n".join(lines)
    short = shortened(text, ["print(x0.grad)"], built=frozenset({"rule0"}))
    assert short.splitlines() == [line for line in lines[:-2] if "2 = " not in line]
    assert "y1" not in shortened(text, ["print(x0.grad)"])
    many = "\n".join(f"x{n} = leaf({n})\ny{n} = rule0(x{n})" for n in range(50))
    short = shortened(f"{many}\nprint(y49)", ["print(y49)"], built=frozenset({"rule0"}))
    assert short.count("rule0(") < 8


def test_the_script_of_calls_that_are_not_kept_apart_shows_it() -> None:
    (mutant,) = (m for m in MUTANTS if m.name == "rule-sees-last-operands")
    backend, check = mutant.make(), load_all()["contract/C5/calls-apart"]
    run = lambda b: check.function(b, Sample(1, "float64"))  # noqa: E731
    with pytest.raises(Violation) as caught:
        run(backend)
    text = script_of(backend, run, caught.value)
    assert text.count("= rule0(") == 2, text


def test_a_checkpoint_that_is_called_again_has_a_name() -> None:
    backend = NumpyTape()

    def run(engine: Backend) -> None:
        square = engine.checkpoint(lambda x: engine.op("multiply")(x, x))
        for value in (2.0, 3.0):
            engine.numpy(engine.vjp(square, [np.array(value)], [np.array(1.0)])[1][0])

    text = script_of(backend, run, None)
    assert text.count("made0 = checkpoint(f0)") == text.count("checkpoint(f0)") == 1, text
    assert text.count("= made0(") == 2
    with contextlib.redirect_stdout(io.StringIO()) as out:
        exec(compile(text, "script", "exec"), {})
    assert out.getvalue().split() == ["4.0", "6.0"]


def test_what_raised_is_kept() -> None:
    assert shortened("x = 1\ny = 2\nf(y)", []).endswith("y = 2\nf(y)")


def test_equal_constants_are_written_once_unless_one_is_written_into() -> None:
    text = "c0 = array(1)\nc1 = array(1)\nprint(f(c0, c1))"
    assert shortened(text, None) == "c0 = array(1)\nprint(f(c0, c0))"
    written = "c0 = array(1)\nc1 = array(1)\nc0[...] = 7.0\nprint(f(c0, c1))"
    assert shortened(written, None) == written


@pytest.mark.parametrize(
    "check",
    ["op/vjp", "op/linear", "op/layout", "op/order", "op/gradients-own-memory", "op/cotangent-untouched"],
)
def test_the_script_of_a_failure_fits_on_fifteen_lines_and_runs(check: str) -> None:
    caught = list(islice(failures(check), 3))
    assert caught
    for backend, case, failure in caught:
        text = script_of(
            backend, lambda b, case=case: load_all()[check].function(*CaseQuestion(case).on(b)), failure
        )
        code = [line for line in text.splitlines() if not line.startswith("#")]
        assert len(code) <= 15, text
        with contextlib.redirect_stdout(io.StringIO()) as out, np.errstate(all="ignore"):
            exec(compile(text, check, "exec"), {})
        assert out.getvalue()


def test_where_one_call_is_compared_with_another_both_are_in_the_script() -> None:
    caught = list(islice(failures("op/order"), 2))
    assert caught
    for backend, case, failure in caught:
        run = lambda b, case=case: load_all()["op/order"].function(*CaseQuestion(case).on(b))  # noqa: E731
        assert script_of(backend, run, failure).count("print(") == 2


def failures(check: str) -> Iterator[tuple[Backend, Case, Exception]]:
    """One failing case of each op of each mutant that the check kills."""
    for mutant in MUTANTS:
        for op in mutant.ops if check in mutant.kills else ():
            backend = mutant.make()
            for case in draw_cases(find(op), "float64", 0, Effort(8, 2, 1, 1)):
                try:
                    load_all()[check].function(*CaseQuestion(case).on(backend))
                except NotThisCase:
                    continue
                except Exception as failure:
                    yield backend, case, failure
                    break


def test_a_custom_rule_has_its_formula() -> None:
    assert (
        formula_of(lambda g, a, b: (g @ b.T, None, (a * 2).sum(0)), "gab")
        == "(g @ b.T, None, (a * 2).sum(0),)"
    )
    with pytest.raises(NoFormula):
        formula_of(lambda a: a if a > 0 else -a, "a")
    with pytest.raises(NoFormula):
        formula_of(lambda a: np.ones(3), "a")


def test_of_thousands_of_calls_those_that_bear_on_the_failure_are_kept() -> None:
    lines = [f"x{n} = make({n})\ny{n} = double(x{n})\ny{n}.backward()\nprint(x{n}.grad)" for n in range(1500)]
    text = shortened("\n".join(lines), ["print(x1400.grad)"])
    assert text == "x1400 = make(1400)\ny1400 = double(x1400)\ny1400.backward()\nprint(x1400.grad)"


def test_a_write_into_a_cotangent_is_kept_where_what_is_shown_was_made_of_it() -> None:
    """A gradient that is the cotangent itself changes with it."""
    text = "c0 = engine.constant([1])\nc1 = engine.constant([2])\nx0 = engine.leaf([3])\nx0.backward(c0)\nc0[...] = 7\nc1[...] = 8\nprint(x0.grad)"
    short = shortened(text, ["print(x0.grad)"])
    assert "c0[...] = 7" in short
    assert "c1" not in short
