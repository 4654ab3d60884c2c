"""What verbs that call an engine say where it ends their process, or where its adapter declares what is nothing."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from conformance_backends.numpy_backend import NumpyTape

from conformance.errors import AdapterError
from conformance.run.declarations import hold_declarations

pytestmark = pytest.mark.costly

ADAPTER = """
import os, sys
from conformance_backends.numpy_backend import NumpyTape

class Mine(NumpyTape):
    {body}
"""
LEAF = "def leaf(self, value): {}"
TANH = "numpy/op/tanh/vjp/float64"
NO_SUCH = "the adapter declares what does not exist:\n  "
ENDED = "conformance: the engine ended the process (exit 4) in the middle of its work"


def said_by(folder: Path, body: str, *arguments: str) -> tuple[int, str]:
    """The exit code, and everything written, of a verb with an adapter of its own, mine.py."""
    (folder / "mine.py").write_text(ADAPTER.format(body=body))
    done = subprocess.run(
        [sys.executable, "-P", "-m", "conformance", *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "COLUMNS": "200"},
    )
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ("smoke", "mine.py", "-q", "tanh"),
        ("bench", "mine.py", "--workload", "deep_chain", "--size", "small", "-o", "bench.jsonl"),
        ("replay", TANH, "--run", "run.jsonl", "--on", "mine.py"),
    ],
    ids=lambda arguments: arguments[0],
)
def test_an_engine_that_ends_the_process_is_reported(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    run = ("run", "numpy", "-q", "op/tanh/vjp/float64", "-o", "run.jsonl", "-n", "1")
    assert said_by(tmp_path, "pass", *run)[0] == 0
    code, said = said_by(tmp_path, LEAF.format("os._exit(4)"), *arguments)
    assert code == 11
    tried = ", while this was tried: float64 goes in and comes out" if arguments[0] == "smoke" else ""
    assert said.rstrip().endswith(ENDED + tried)


def test_an_engine_that_ends_the_process_while_it_is_imported_is_reported(tmp_path: Path) -> None:
    assert said_by(tmp_path, "os._exit(4)", "smoke", "mine.py") == (11, f"{ENDED}\n")


def test_a_verb_whose_process_is_watched_has_the_exit_codes_of_any(tmp_path: Path) -> None:
    assert said_by(tmp_path, "pass", "smoke", "mine.py", "-q", "tanh")[0] == 0
    assert said_by(tmp_path, "pass", "smoke", "mine.py", "-q", "tahn")[0] == 4
    assert said_by(tmp_path, "raise KeyboardInterrupt", "smoke", "mine.py") == (
        2,
        "conformance: interrupted\n",
    )


def test_only_what_is_wrong_is_counted(tmp_path: Path) -> None:
    body = "ops = {**NumpyTape.ops, 'tanh': lambda x: NumpyTape.ops['sin'](x)}"
    code, said = said_by(tmp_path, body, "smoke", "mine.py", "-q", "tanh")
    assert code == 11
    assert said.endswith("correct the adapter first: 1 op\n")


def test_what_an_engine_prints_while_smoke_tries_its_calls_goes_to_standard_error(tmp_path: Path) -> None:
    body = LEAF.format("print('by python'), os.write(1, b'by C' + b'\\n'); return super().leaf(value)")
    (tmp_path / "mine.py").write_text(ADAPTER.format(body=body.replace("): print", "):\n        print")))
    arguments = (sys.executable, "-P", "-m", "conformance", "smoke", "mine.py", "-q", "tanh")
    done = subprocess.run(arguments, cwd=tmp_path, capture_output=True, text=True, check=False)
    claims, _, _ = done.stdout.partition("the ops, each")
    assert "the gradients of a product are right" in claims
    assert "by python" not in claims
    assert "by C" not in claims
    assert {"by python", "by C"} <= set(done.stderr.splitlines())


def test_an_engine_that_raises_system_exit_ends_no_comparison_of_times(tmp_path: Path) -> None:
    arguments = ("mine.py", "numpy", "--workload", "deep_chain", "--size", "small", "-o", "bench.jsonl")
    code, said = said_by(tmp_path, LEAF.format("sys.exit(0)"), "bench", *arguments)
    assert code == 0
    assert "n/a Mine, deep_chain: SystemExit: 0" in said.replace("n/a mine", "n/a Mine")
    assert (tmp_path / "bench.jsonl").read_text().count('"backend":"numpy"') > 0


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("name = b'mine'", "Mine.name is b'mine', and begins every id and query"),
        ("ops = None", "Mine.ops: it is NoneType, where names and their functions are expected"),
        ("ops = ['tanh']", "Mine.ops: it is list, where names and their functions are expected"),
        (
            "ops = property(lambda self: {}['here'])",
            "what Mine declares cannot be read: KeyError: 'here'\nraised at mine.py:",
        ),
        (
            "def version(self): raise OSError('none')",
            "what Mine declares cannot be read: OSError: none\nraised at mine.py:",
        ),
        (
            "conventions = None",
            "Mine.conventions: it is NoneType, where a dict from a clause to a convention",
        ),
        ("capabilities = ['tape']", "Mine.capabilities: it is list, where a set of Capability is expected"),
        (
            "compiles_signatures = 'no'",
            "Mine.compiles_signatures: it is str, where True or False is expected",
        ),
        ("lacks = {'sum': {'axis': 0}}", "Mine.lacks of sum, axis: it is int, where a tuple of values"),
        ("lacks = {'sum': ['axis']}", "Mine.lacks of sum: it is list, where a dict from a parameter"),
        ("points = {'A4': 'refused'}", "Mine.points: there is no 'A4'; there are abs/at-0, "),
        ("points = {'relu/at-0': 5}", "Mine.points of relu/at-0: it is int, where the name of a convention"),
        (
            "points = {'relu/at-0': 'zeroo'}",
            "Mine.points of relu/at-0: there is no 'zeroo'; did you mean zero?",
        ),
        (
            "lacks = {'tanh': {'nosuch': (1,)}}",
            "Mine.lacks of tanh: there is no 'nosuch'; the op has no param",
        ),
        (
            "dialect = NumpyTape.dialect.__class__('', 'array({valuess})')",
            "Mine.dialect.array: there is no 'valuess'; did you mean values?",
        ),
        (
            "dialect = NumpyTape.dialect.__class__('', 'array({values}', grad='{leaf.grad')",
            "Mine.dialect.grad: '{leaf.grad' is no template: ",
        ),
        (
            "dialect = NumpyTape.dialect.__class__('', '', further={'hok': ''})",
            "Mine.dialect.further: there is no 'hok'; did you mean hook?",
        ),
        (
            "dialect = NumpyTape.dialect.__class__('', '', further={'hook': '{aray}.hook({seen})'})",
            "Mine.dialect.further: hook: there is no 'aray'; did you mean array?",
        ),
        ("dialect = NumpyTape.dialect.__class__('', 3)", "Mine.dialect.array: it is int, where a text is"),
        ("dialect = 'x'", "Mine.dialect: it is str, where a Dialect is expected"),
        ("dtypes = ('float64', 'float64')", "Mine.dtypes: one stands there twice: float64, float64"),
        ("dtypes = ('float99',)", "Mine.dtypes: there is no 'float99'; did you mean float64"),
    ],
)
def test_a_declaration_that_is_none_is_reported(tmp_path: Path, body: str, expected: str) -> None:
    code, said = said_by(tmp_path, body, "smoke", "mine.py")
    assert code == 11
    assert f"conformance: {expected}" in said.replace(NO_SUCH, "")
    assert len(said) < 2500  # however many names there are
    assert "Traceback" not in said


@pytest.mark.parametrize("verb", [("atlas", "-q", "op/relu"), ("bench", "-o", "bench.jsonl")])
def test_every_verb_holds_an_adapter_to_its_declarations(tmp_path: Path, verb: tuple[str, ...]) -> None:
    code, said = said_by(tmp_path, "dtypes = ('float99',)", verb[0], "mine.py", *verb[1:])
    assert (code, NO_SUCH in said, "Traceback" in said) == (11, True, False)


def test_a_point_at_which_an_engine_raises_system_exit_is_in_the_atlas(tmp_path: Path) -> None:
    code, said = said_by(tmp_path, LEAF.format("sys.exit(4)"), "atlas", "mine.py", "-q", "relu/at-0")
    assert (code, "relu/at-0" in said, "raises" in said) == (0, True, True)
    code, said = said_by(
        tmp_path, LEAF.format("sys.exit(4)"), "run", "mine.py", "-q", "point/relu/at-0/float64", "-n", "1"
    )
    assert code == 1
    assert "internal" not in said


def test_smoke_goes_on_where_an_engine_changes_to_another_folder(tmp_path: Path) -> None:
    body = LEAF.format("os.chdir('/'); return super().leaf(value)")
    code, said = said_by(tmp_path, body, "smoke", "mine.py", "-q", "tanh")
    assert code == 0, said


IMPORTED = [
    "import threading, time; threading.Thread(target=time.sleep, args=(10**6,)).start()",
    "sys.setrecursionlimit(60)",
    "sys.stdout = sys.stderr = None",
    "os.close(1)",
    "sys.path.clear()",
]


@pytest.mark.parametrize("body", IMPORTED)
def test_what_an_adapter_does_to_its_process_while_it_is_imported_costs_no_answer(
    tmp_path: Path, body: str
) -> None:
    arguments = ("run", "mine.py", "-q", "point/relu/at-0/float64", "-n", "1", "-o", "run.jsonl")
    code, said = said_by(tmp_path, body, *arguments)
    assert code == 0, said


def test_a_thread_that_never_ends_keeps_no_verb_from_ending(tmp_path: Path) -> None:
    assert said_by(tmp_path, IMPORTED[0], "smoke", "mine.py", "-q", "tanh")[0] == 0
    assert said_by(tmp_path, IMPORTED[0], "atlas", "mine.py", "-q", "relu/at-0")[0] == 0


def test_a_complex_gradient_of_a_real_operand_ends_no_run(tmp_path: Path) -> None:
    body = "def grad(self, leaf): return super().grad(leaf) * 1j"
    code, said = said_by(
        tmp_path, body, "run", "mine.py", "-q", "op/tanh/vjp/float64", "-n", "1", "-o", "a.jsonl"
    )
    assert (code, "Traceback" in said) == (1, False), said
    assert '"type":"end"' in (tmp_path / "a.jsonl").read_text()


def test_a_declaration_of_a_class_that_was_made_in_no_file_is_reported_without_a_place() -> None:
    body = {"__module__": "builtins", "version": lambda self: {}["here"]}
    with pytest.raises(AdapterError, match="what Made declares cannot be read: KeyError: 'here'"):
        hold_declarations(type("Made", (NumpyTape,), body)())
