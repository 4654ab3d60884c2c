"""An engine's own pytest run gets the questions as items beside its own tests."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from conformance.pytest_plugin import ConformanceItem
from tests.conformance.conftest import clean_environment


@pytest.fixture
def run_pytest(tmp_path: Path) -> Any:
    (tmp_path / "test_own.py").write_text("def test_own():\n    assert 1 + 1 == 2\n")

    def run(*arguments: object, pytest: tuple[str, ...] = ("-m", "pytest")) -> Any:
        return subprocess.run(
            [sys.executable, *pytest, "-p", "no:cacheprovider", "-rA", *map(str, arguments)],
            cwd=tmp_path,
            env=clean_environment(),
            capture_output=True,
            encoding="utf-8",
            timeout=90,
            check=False,
        )

    return run


NO_XDIST = """
import sys
class Nothing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "xdist":
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, Nothing())
import pytest
sys.exit(pytest.main())
"""
WAYS = {
    "one process": {},
    "xdist off": {"arguments": ("-p", "no:xdist")},
    "xdist not installed": {
        "arguments": ("-p", "no:xdist", "-p", "no:xdist.looponfail"),
        "pytest": ("-c", NO_XDIST),
    },
    "a worker of xdist": {"arguments": ("-n", "1")},
}


@pytest.mark.parametrize("way", WAYS)
def test_failures_known_failures_and_skips_are_reported_in_the_words_of_the_suite(
    way: str, run_pytest: Any, adapters: Path, tmp_path: Path
) -> None:
    (tmp_path / "known.toml").write_text(
        '[[known]]\nid = "wrong_tanh/op/tanh/vjp/float32"\nreason = "single precision is broken"\n'
    )
    given = dict(WAYS[way])
    done = run_pytest(
        *given.pop("arguments", ()),
        *(f"--conformance-backend={adapters / 'wrong_tanh.py'}", "--conformance-known=known.toml"),
        *("--conformance-query", "op/tanh/vjp", "--conformance-query", "op/exp/vjp"),
        **given,
    )
    assert done.returncode == 1, done.stdout + done.stderr
    assert "1 failed, 3 passed, 1 xfailed" in done.stdout
    assert "FAILED ::wrong_tanh/op/tanh/vjp/float64" in done.stdout
    assert "PASSED ::wrong_tanh/op/exp/vjp/float64" in done.stdout
    assert "PASSED test_own.py::test_own" in done.stdout
    assert "XFAIL ::wrong_tanh/op/tanh/vjp/float32" in done.stdout
    assert "single precision is broken" in done.stdout
    assert "tanh · the gradient of operand 0 differs from the reference VJP" in done.stdout
    assert "again   conformance replay c1:" in done.stdout
    assert "Traceback" not in done.stdout
    assert "def runtest" not in done.stdout


def test_what_a_backend_does_not_offer_is_skipped_with_the_reason(run_pytest: Any, tmp_path: Path) -> None:
    (tmp_path / "small.py").write_text(
        "from conformance_backends.numpy_backend import NumpyTape\n"
        "class Small(NumpyTape):\n    ops = {'exp': NumpyTape.ops['exp']}\n"
    )
    done = run_pytest(
        "--conformance-backend", "small.py", "--conformance-query", "op/tanh/vjp", "test_own.py"
    )
    assert done.returncode == 0
    assert "1 passed, 2 skipped" in done.stdout
    assert "the adapter of numpy names no tanh" in done.stdout


@pytest.mark.parametrize("module", ["exits_at_import.py", "hangs_at_import.py"])
def test_an_adapter_that_cannot_start_is_a_usage_error_and_nothing_is_green(
    module: str, run_pytest: Any, adapters: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(f"{__name__}.clean_environment", lambda: {**os.environ, "CONFORMANCE_PATIENCE": "1"})
    done = run_pytest("-p", "no:xdist", f"--conformance-backend={adapters / module}")
    assert done.returncode == 4
    assert "start" in done.stderr
    assert "passed" not in done.stdout


def test_without_a_backend_nothing_is_added(run_pytest: Any) -> None:
    assert "1 passed" in run_pytest().stdout


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--conformance-backend", "nunpy"), "no backend is called 'nunpy'"),
        (("--conformance-backend", "numpy", "--conformance-query", "op/tahn"), "matches nothing"),
        (("--conformance-backend", "numpy", "--conformance-seed", "x"), "invalid int value: 'x'"),
        (("--conformance-backend", "numpy", "--conformance-profile", "huge"), "no profile 'huge'"),
        (("--conformance-query", "op/tanh"), "--conformance-query does nothing without a backend"),
        (("--conformance-seed", "0"), "give it with --conformance-backend"),
        (
            ("--conformance-backend", "numpy", "--conformance-known", "no.toml"),
            "; --conformance-known FILE names",
        ),
        (
            ("--conformance-backend", "numpy", "--conformance-shard", "5/4"),
            "--conformance-shard '5/4': expected",
        ),
        *(
            (
                ("--conformance-backend", "numpy", "--conformance-timeout", text),
                "argument --conformance-timeout: ",
            )
            for text in ("-1", "0", "nan", "inf", "1e10")
        ),
    ],
)
def test_a_wrong_option_is_a_usage_error(run_pytest: Any, arguments: Any, said: str) -> None:
    done = run_pytest(*arguments)
    assert done.returncode == 4
    assert said in done.stdout + done.stderr
    assert "INTERNALERROR" not in done.stdout + done.stderr


def test_memory_that_is_at_its_end_is_said_without_a_traceback() -> None:
    item: Any = None
    for text, shown in (("no room", "no room"), ("", "MemoryError")):
        said: Any = SimpleNamespace(value=MemoryError(text), typename="MemoryError")
        assert ConformanceItem.repr_failure(item, said) == shown
