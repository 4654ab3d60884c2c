"""A run file that was truncated, changed or interrupted still shows what it holds, and says so."""

from __future__ import annotations

import gzip
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import msgspec
import pytest

from conformance.cli import main
from conformance.errors import RunFileError
from conformance.run.resume import failed_again, resumed
from conformance.runfile.jsonl import SCHEMA, Damage, DamageKind, encode, read_run
from conformance.runfile.records import BackendLine, EndLine, Evidence, ResultLine, RunLine, SpecLine, Verdict

HEADER = RunLine(
    SCHEMA, "r1", "2026-01-01T00:00:00+00:00", "quick", 0, SpecLine("0", "d"), {}, (BackendLine("numpy", "numpy", "1"),)
)  # fmt: skip


def line(dtype: str, verdict: Verdict) -> ResultLine:
    evidence = None if verdict is Verdict.PASS else Evidence(message=f"wrong in {dtype}")
    return ResultLine(
        f"numpy/op/tanh/vjp/{dtype}", "numpy", "op", "tanh", "vjp", "E1", "must", dtype, verdict, 3, 0.1,
        evidence=evidence,
    )  # fmt: skip


FAIL, PASS = line("float64", Verdict.FAIL), line("float32", Verdict.PASS)
WHOLE = [encode(x) for x in (HEADER, FAIL, PASS, EndLine(True, {"fail": 1, "pass": 1}))]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: Any) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "known.toml").write_text('[[known]]\nid = "numpy/op/tanh/vjp/float32"\nreason = "r"\n')
    return tmp_path


def write(*lines: str) -> None:
    Path("run.jsonl").write_text("\n".join(lines))


TRUNCATED = [*WHOLE[:3], WHOLE[3][:20]]
DAMAGED = [*WHOLE[:1], "{broken", *WHOLE[1:]]
INTERRUPTED = [*WHOLE[:3], encode(EndLine(False, {}))]


@pytest.mark.parametrize(
    ("lines", "why"),
    [
        (WHOLE[:3], "it has no footer"),
        (TRUNCATED, "line 4"),
        (DAMAGED, "line 2"),
        (INTERRUPTED, "the run was not finished"),
    ],
)
def test_reports_show_what_an_incomplete_file_holds_and_say_so(
    lines: list[str], why: str, capsys: Any
) -> None:
    write(*lines)
    assert len(read_run(Path("run.jsonl")).results) == 2
    for ending in ("html", "xml", "md", "json"):
        assert main(["report", "run.jsonl", "-o", f"report.{ending}"]) == 12
        said = capsys.readouterr().err
        assert "run.jsonl is not complete: " in said
        assert why in said
        if ending != "html":  # its data is packed
            assert "wrong in float64" in Path(f"report.{ending}").read_text()


@pytest.mark.parametrize("lines", [WHOLE[:3], TRUNCATED, DAMAGED, INTERRUPTED])
def test_known_failures_are_judged_by_what_an_incomplete_file_holds(lines: list[str], capsys: Any) -> None:
    write(*lines)
    assert main(["known", "check", "run.jsonl", "--known", "known.toml"]) == 10
    printed = capsys.readouterr()
    assert "is not complete" in printed.err
    assert "stale: numpy/op/tanh/vjp/float32" in printed.out
    assert main(["known", "update", "run.jsonl", "--known", "new.toml"]) == 12
    assert "1 failure added to new.toml" in capsys.readouterr().out
    assert main(["known", "update", "run.jsonl", "--known", "new.toml"]) == 12
    said = capsys.readouterr().out
    assert (
        "nothing to add: new.toml has every failure that stands in run.jsonl, which is not complete" in said
    )
    assert "ends with 0" not in said
    assert "numpy/op/tanh/vjp/float64" in Path("new.toml").read_text()


TWICE = [*WHOLE[:3], encode(msgspec.structs.replace(PASS, id=FAIL.id)), *WHOLE[3:]]


def test_a_second_result_of_one_id_is_damage_of_its_own_kind() -> None:
    write(*TWICE)
    run = read_run(Path("run.jsonl"))
    reason = f"the result {FAIL.id} is also in line 2"
    assert run.damage == (Damage(DamageKind.DUPLICATE_ID, "run.jsonl", 4, reason),)
    assert [r.verdict for r in run.results] == [Verdict.FAIL, Verdict.PASS, Verdict.PASS]
    assert not run.is_complete


def test_every_unreadable_line_is_damage() -> None:
    write(WHOLE[0], "{broken", WHOLE[1], "[]", *WHOLE[2:])
    found = [(damage.kind, damage.line) for damage in read_run(Path("run.jsonl")).damage]
    assert found == [(DamageKind.UNREADABLE, 2), (DamageKind.UNREADABLE, 4)]


def test_verbs_refuse_to_trust_a_file_with_an_id_twice(capsys: Any) -> None:
    write(*TWICE)
    for command, code in (
        (["known", "check", "run.jsonl", "--known", "known.toml"], 10),
        (["known", "update", "run.jsonl", "--known", "new.toml"], 12),
        (["report", "run.jsonl", "-o", "r.md"], 12),
    ):
        assert main(command) == code
        assert (
            "run.jsonl is not complete: line 4: the result numpy/op/tanh/vjp/float64 is also in line 2"
            in capsys.readouterr().err
        )
    assert "Not complete" in Path("r.md").read_text()
    assert main(["replay", FAIL.id]) == 4
    assert "has 2 results" in capsys.readouterr().err


def test_an_incomplete_file_does_not_make_an_entry_stale_by_not_asking(capsys: Any) -> None:
    write(*WHOLE[:2])
    assert main(["known", "check", "run.jsonl", "--known", "known.toml"]) == 12
    assert "stale" not in capsys.readouterr().out


def test_a_run_of_a_part_does_not_make_an_entry_stale_by_not_asking(capsys: Any) -> None:
    Path("other.toml").write_text('[[known]]\nid = "numpy/op/exp/*"\nreason = "r"\n', encoding="utf-8")
    write(*WHOLE)
    assert main(["known", "check", "run.jsonl", "--known", "other.toml"]) == 10
    write(encode(msgspec.structs.replace(HEADER, queries=("op/tanh",))), *WHOLE[1:])
    assert main(["known", "check", "run.jsonl", "--known", "other.toml"]) == 0
    assert capsys.readouterr().out.count("stale") == 1


def test_a_whole_file_is_complete() -> None:
    write(*WHOLE)
    run = read_run(Path("run.jsonl"))
    assert run.is_complete
    assert [r.id for r in run.results] == [FAIL.id, PASS.id]
    assert run.header == HEADER


@pytest.mark.parametrize("content", [b"", b"hello", bytes(range(256)), b"[]\n", WHOLE[1].encode()])
@pytest.mark.parametrize(
    "verb", [["report", "run.jsonl", "-o", "r.html"], ["known", "check", "run.jsonl", "--known", "known.toml"],
             ["replay", "numpy/op/tanh/vjp/float64"]]
)  # fmt: skip
def test_a_file_that_is_no_run_file_is_refused(content: bytes, verb: list[str], capsys: Any) -> None:
    Path("run.jsonl").write_bytes(content)
    assert main(verb) == 4
    assert "run.jsonl is not a run file" in capsys.readouterr().err


@pytest.mark.parametrize("schema", [SCHEMA - 1, 99])
def test_a_file_of_another_schema_is_refused(schema: int, capsys: Any) -> None:
    write(WHOLE[0].replace(f'"schema":{SCHEMA}', f'"schema":{schema}'))
    assert main(["report", "run.jsonl", "-o", "r.html"]) == 4
    assert f"has schema {schema}; this version reads schema {SCHEMA}" in capsys.readouterr().err


@pytest.mark.costly
def test_replay_reads_a_failure_from_a_truncated_file(command: Any, adapters: Path, capsys: Any) -> None:
    ran = command("run", adapters / "wrong_tanh.py", "-q", "op/tanh/vjp/float64", "-n", 1)
    path = ran.folder / "run.jsonl"
    path.write_text("\n".join(path.read_text().splitlines()[:2]) + '\n{"type":"res')
    assert main(["replay", "wrong_tanh/op/tanh/vjp/float64", "--trust"]) == 1
    out = capsys.readouterr().out
    assert "the gradient of operand 0 differs from the reference VJP" in out
    assert f"--on {adapters / 'wrong_tanh.py'}" in out


# A shell's background job inherits that SIGINT is ignored, and so would a run started from it.
WITH_SIGINT = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "


@pytest.mark.costly
@pytest.mark.parametrize("whole_group", [False, True])
def test_an_interrupted_run_keeps_its_results_and_says_that_it_is_not_complete(
    *, whole_group: bool, folder: Path
) -> None:
    path = folder / "run.jsonl"
    running = subprocess.Popen(
        [
            sys.executable,
            "-c",
            WITH_SIGINT + "import sys; from conformance.cli import main; sys.exit(main())",
            "run",
            "numpy",
            "-n",
            "1",
            "-o",
            str(path),
        ],
        start_new_session=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={k: v for k, v in os.environ.items() if not k.startswith(("PYTEST_", "CONFORMANCE_"))},
    )
    part = folder / "run.jsonl.part"
    while not part.exists() or len(part.read_bytes().splitlines()) < 20:
        assert running.poll() is None
        time.sleep(0.05)
    (os.killpg if whole_group else os.kill)(running.pid, signal.SIGINT)
    assert running.wait(timeout=60) == 2
    run = read_run(path)
    assert not run.is_complete
    assert run.end is not None
    assert run.end.exit_code == 2
    assert len(run.results) >= 19
    assert set(run.counts()) <= {"pass", "unsupported", "undecided"}


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "it is empty"),
        ("{}".encode("utf-16"), "it is UTF-16 text, where run files are UTF-8"),
        # Without the time of compression, which differs between pytest-xdist's workers.
        (gzip.compress(b"{}", mtime=0), "it is packed by gzip"),
        (b"[1]\n", "its first line is not a run header"),
        (b'{"type":"run","sch', "its header, in line 1, is damaged: Input data was truncated"),
        (
            WHOLE[0].replace('"seed":0', '"seed":"a"').encode(),
            "its header, in line 1, is damaged: Expected `int`, got `str` - at `$.seed`",
        ),
        # The fields of another schema may differ too, which is no damage.
        (
            WHOLE[0].replace('"schema":2', '"schema":3').replace('"seed":0', '"seed":"a"').encode(),
            "it has schema 3; this version reads schema 2",
        ),
    ],
)
def test_what_is_no_run_file_is_said_to_be_what_it_is(
    content: bytes, said: str, tmp_path: Path, capsys: Any
) -> None:
    path = tmp_path / "run.jsonl"
    path.write_bytes(content)
    assert main(["report", str(path), "-o", str(tmp_path / "report.html")]) == RunFileError.exit_code
    assert f"run.jsonl is not a run file: {said}" in capsys.readouterr().err


def test_a_run_file_that_an_editor_gave_a_mark_of_its_encoding_is_read(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    path.write_text("\n".join(WHOLE) + "\n", encoding="utf-8-sig")
    assert read_run(path).is_complete


@pytest.mark.parametrize("arguments", [["report", "--site", "file"], ["report", "-o", "file/report.html"]])
def test_a_file_where_a_folder_is_needed_is_said_to_be_one(
    arguments: list[str], tmp_path: Path, capsys: Any, monkeypatch: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    run = tmp_path / "run.jsonl"
    run.write_text("\n".join(WHOLE) + "\n", encoding="utf-8")
    (tmp_path / "file").touch()
    assert main([arguments[0], "run.jsonl", *arguments[1:]]) == 4
    assert "a file stands where a folder is needed" in capsys.readouterr().err


def test_of_much_damage_the_first_lines_are_named_and_the_path_once(capsys: Any) -> None:
    write(WHOLE[0], *["{broken"] * 50, *WHOLE[1:])
    assert main(["report", "run.jsonl"]) == 12
    (said,) = capsys.readouterr().err.splitlines()
    assert said.startswith("conformance: run.jsonl is not complete: line 2: ")
    assert "; line 4: " in said
    assert "line 5" not in said
    assert said.endswith("; and 47 more")
    assert said.count("run.jsonl") == 1


CANNOT_BE_READ = [WHOLE[0], "{broken", *WHOLE[2:]]  # the failure


def test_failures_that_cannot_be_read_are_not_said_to_be_none(capsys: Any) -> None:
    write(*CANNOT_BE_READ)
    assert main(["run", "--rerun-failed", "run.jsonl"]) == 4
    said = capsys.readouterr().err
    assert "nothing failed" not in said
    assert "run.jsonl is not complete: line 2: " in said
    assert "--resume run.jsonl" in said
    write(*WHOLE[:1], *WHOLE[2:3], encode(EndLine(True, {"pass": 1})))
    assert main(["run", "--rerun-failed", "run.jsonl"]) == 4
    assert "nothing failed in run.jsonl" in capsys.readouterr().err


def request(**given: Any) -> Any:
    from conformance.run.conduct import Request

    return Request((), (), "quick", 0, 1, "", 0.0, Path("run.jsonl"), None, **given)


def test_failures_that_are_run_again_are_said_to_be_those_that_could_be_read(capsys: Any) -> None:
    write(*DAMAGED)
    assert failed_again(request(rerun_failed=Path("run.jsonl"))).ids == (FAIL.id,)
    assert "run.jsonl is not complete: line 2: " in capsys.readouterr().err
    write(*WHOLE)
    assert failed_again(request(rerun_failed=Path("run.jsonl"))).ids == (FAIL.id,)
    assert not capsys.readouterr().err


def test_to_resume_a_damaged_file_says_that_lines_are_asked_again(capsys: Any) -> None:
    write(*CANNOT_BE_READ)
    _, answered = resumed(request(resume=Path("run.jsonl")))
    assert [r.id for r in answered] == [PASS.id]
    said = capsys.readouterr().err
    assert "run.jsonl is damaged: line 2: " in said
    assert "is asked again" in said
    write(*WHOLE[:2])
    resumed(request(resume=Path("run.jsonl")))
    assert not capsys.readouterr().err


def test_replay_says_that_the_result_may_be_in_damaged_lines(capsys: Any) -> None:
    write(*CANNOT_BE_READ)
    assert main(["replay", FAIL.id]) == 4
    said = capsys.readouterr().err
    assert "run.jsonl has no result" in said
    assert "run.jsonl is not complete: line 2: " in said


def test_merge_refuses_to_replace_what_it_reads(capsys: Any) -> None:
    write(*WHOLE)
    before = Path("run.jsonl").read_bytes()
    assert main(["merge", "run.jsonl", "-o", "run.jsonl", "--force"]) == 4
    assert "-o run.jsonl would replace the file of RUN" in capsys.readouterr().err
    assert Path("run.jsonl").read_bytes() == before
    assert main(["merge", "run.jsonl", "-o", "run.jsonl"]) == 0  # what was there gets a number
    assert Path("run-2.jsonl").read_bytes() == before


def test_merge_says_that_parts_ran_on_unlike_machines(capsys: Any) -> None:
    write(*WHOLE)
    other = msgspec.structs.replace(HEADER, host={"system": "Plan9 mips"})
    Path("mine.jsonl").write_text("\n".join((encode(other), *WHOLE[1:])))
    main(["merge", "run.jsonl", "mine.jsonl", "-o", "both.jsonl"])
    assert "machines that are not alike: system Plan9 mips and unknown" in capsys.readouterr().err


def test_merge_says_why_it_does_not_end_with_0(capsys: Any) -> None:
    write(*WHOLE[:3], encode(EndLine(True, {"fail": 1, "pass": 1}, exit_code=1)))
    assert main(["merge", "run.jsonl", "-o", "merged.jsonl"]) == 1
    assert "ends with 1, as run.jsonl did: it has a failure that is not known" in capsys.readouterr().err
