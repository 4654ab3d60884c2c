"""docs/engines.md is what the command writes, from adapters, known failures and recorded runs."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import msgspec
import pytest

from conformance.backend import Backend
from conformance.cli import main
from conformance.cli.pages.engines import COMMAND, DATA, TEMPLATE, engines_page, known_failures, recorded_runs
from conformance.cli.pages.engines_data import read_recorded, record_runs
from conformance.errors import UsageError
from conformance.load import load_backend, registered
from conformance.runfile.clause_counts import ClauseCount
from conformance.runfile.jsonl import read_run
from conformance.runfile.known import KnownFailure
from conformance.runfile.known_file import read_known

ROOT = Path(__file__).parents[1]
DOCS, KNOWN = ROOT / "docs", ROOT / "known-failures.toml"
PAGE = (DOCS / "engines.md").read_text(encoding="utf-8")


def test_the_page_in_the_tree_is_what_the_command_writes() -> None:
    for name in registered():
        pytest.importorskip(name.partition(".")[0])
    is_current = engines_page(DOCS, KNOWN) == PAGE
    assert is_current, f"docs/engines.md is not what adapters, known failures and data say; run: {COMMAND}"


def test_every_backend_has_recorded_counts() -> None:
    missing = set(registered()) - set(read_recorded(DOCS / DATA))
    assert not missing, f"run them, and renew the data: {COMMAND} --runs RUN.jsonl"


def test_the_page_links_every_known_failure_and_only_scripts_that_exist() -> None:
    linked = set(re.findall(r"\]\((findings/\w+\.py)\)", PAGE))
    assert {entry.script.removeprefix("docs/") for entry in read_known(KNOWN)} <= linked
    assert all((DOCS / path).exists() for path in linked)


# ---- how it is made ----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def numpy() -> Backend:
    return load_backend("numpy")


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("run") / "run.jsonl"
    assert main(["run", "numpy", "-q", "contract/B1", "-n", "1", "-o", str(path)]) == 0
    return path


def without_query(run: Path, to: Path) -> Path:
    """The run as if it had been made without a query."""
    first, _, rest = run.read_text(encoding="utf-8").partition("\n")
    header = json.loads(first)
    del header["queries"]
    to.write_text(f"{json.dumps(header)}\n{rest}", encoding="utf-8")
    return to


@pytest.mark.costly
def test_a_run_renews_the_counts_of_its_own_backends(run: Path, tmp_path: Path) -> None:
    shutil.copytree(DOCS / "data", tmp_path / "data")
    before = read_recorded(tmp_path / DATA)
    record_runs(tmp_path / DATA, [without_query(run, tmp_path / "run.jsonl")])
    after = read_recorded(tmp_path / DATA)
    assert after.pop("numpy").clauses["B1"].passed == len(read_run(run).results)
    del before["numpy"]
    assert after == before


def test_part_of_a_run_is_not_recorded(run: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="not a whole run"):
        record_runs(tmp_path / DATA, [run])


def test_a_backend_that_was_not_run_is_named(numpy: Backend) -> None:
    assert list(recorded_runs([numpy], {})) == ["- `numpy`: no run is recorded"]


def test_a_cause_is_one_row_and_faults_come_first(numpy: Backend) -> None:
    more: Any = {"script": "docs/findings/it.py", "link": "the-page"}
    entries = [
        KnownFailure("mine/op/sin/vjp/*", "it says so", kind="documented", **more),
        *[
            KnownFailure(
                (f"mine/op/{op}/vjp/*", f"mine.jit/op/{op}/*"),
                "it is wrong",
                kind="fault",
                script=more["script"],
            )
            for op in ("exp", "tanh")
        ],
    ]
    rows = [row for row in known_failures([numpy], entries, "../{}".format) if "it.py" in row]
    assert rows == [
        "| [it is wrong](../docs/findings/it.py) | fault | exp, tanh | `mine`, `mine.jit` |",
        "| [it says so](../docs/findings/it.py) | [documented](the-page) | sin | `mine` |",
    ]
    assert "No known failures." in list(known_failures([numpy], entries, str))


def test_a_missing_template_is_a_mistake_of_the_user(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / DATA).write_bytes(msgspec.json.encode({}))
    arguments = ["explain", "engines", "--known", str(KNOWN), "-o", str(tmp_path / "engines.md")]
    for name in registered():
        pytest.importorskip(name.partition(".")[0])
    assert main(arguments) == 4
    assert TEMPLATE in capsys.readouterr().err


def test_a_count_is_written_as_its_verdicts() -> None:
    assert str(ClauseCount(3, 1, 2)) == "3 pass, 1 known, 2 ✗"
    assert str(ClauseCount(reason="no such op")) == ""
