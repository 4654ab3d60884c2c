"""What the diagnosis lays to the adapter is asked again in a process of its own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from conformance.cli.pages.smoke_ops import UNSTEADY
from conformance.run.process.alone import DEPENDS

ADAPTER = '''
from conformance_backends.numpy_backend import NumpyTape


def once_sine(tanh, sin, calls=[]):
    """{what}"""

    def function(x):
        calls.append(x)
        return ({condition} and sin or tanh)(x)

    return function


class Mine(NumpyTape):
    engine = "mine"
    dtypes = ("float64",)
    ops = dict(NumpyTape.ops, tanh=once_sine(NumpyTape.ops["tanh"], NumpyTape.ops["sin"]))
'''
LATER = {"what": "Computes another function after the tenth call.", "condition": "len(calls) > 10"}
SOON = {"what": "The same, after the fifth call.", "condition": "len(calls) > 5"}
ALWAYS = {"what": "Calls another function.", "condition": "True"}


def asked(command: Any, folder: Path, words: dict[str, str]) -> Any:
    (folder / "mine.py").write_text(ADAPTER.format(**words), encoding="utf-8")
    return command("run", folder / "mine.py", "-q", "op/tanh/vjp", "-n", 1)


@pytest.mark.costly
def test_an_engine_that_keeps_another_function_is_not_the_adapter_s_slip(
    command: Any, tmp_path: Path
) -> None:
    done = asked(command, tmp_path, LATER)
    assert done.verdicts["mine/op/tanh/vjp/float64"] == "fail", done.said
    (result,) = done.run.results
    assert result.evidence.message.endswith(DEPENDS)
    assert result.evidence.fault == "engine wrong"
    again = command("replay", result.id, "--trust")
    assert "  pass  " in again.said
    assert "it was fail in run.jsonl, and is right alone: the engine's answer depends" in again.said


@pytest.mark.costly
def test_an_adapter_that_calls_another_function_does_so_in_every_process(
    command: Any, tmp_path: Path
) -> None:
    done = asked(command, tmp_path, ALWAYS)
    assert done.verdicts["mine/op/tanh/vjp/float64"] == "adapter_error", done.said
    assert "the adapter calls another function" in done.run.results[0].evidence.message


@pytest.mark.costly
@pytest.mark.parametrize(
    ("words", "code", "says"), [(SOON, 0, f"ENG   tanh: {UNSTEADY}"), (ALWAYS, 11, "BAD   tanh")]
)
def test_smoke_asks_wrong_values_again_where_the_engine_computed_nothing_before(
    command: Any, tmp_path: Path, words: dict[str, str], code: int, says: str
) -> None:
    (tmp_path / "mine.py").write_text(ADAPTER.format(**words), encoding="utf-8")
    done = command("smoke", tmp_path / "mine.py", "-q", "tanh")
    assert (done.code, says in done.said) == (code, True), done.said
