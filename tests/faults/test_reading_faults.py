"""Reading executes nothing, has bounded memory, and reports what is wrong with a file."""

from __future__ import annotations

import base64
import tracemalloc
import zlib
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec import structs

from conformance.case import PREFIX, Case
from conformance.cli import main
from conformance.errors import RunFileError, UsageError
from conformance.runfile import jsonl
from conformance.runfile.jsonl import encode, read_run
from conformance.runfile.known import KnownFailure, in_force
from conformance.runfile.known_file import read_known
from conformance.runfile.listing import write_known
from conformance.runfile.records import BackendLine, EndLine, TimingLine, Verdict

from ..conformance.runfile.drawn_runs import HEADER, line

TANH, EXP = line("tanh", Verdict.PASS), line("exp", Verdict.FAIL, "wrong")
END = EndLine(True, {"pass": 1, "fail": 1})
WHOLE = [encode(each) for each in (HEADER, TANH, EXP, END)]

# injected, a part of what is said
DAMAGES = {
    "no footer": (WHOLE[:3], "no footer"),
    "a result of a backend that is not in the header": (
        [WHOLE[0], encode(structs.replace(TANH, backend="nobody")), *WHOLE[2:]],
        "line 2: its backend nobody is not in the header",
    ),
    "half a footer": ([*WHOLE[:3], WHOLE[3][:9]], "line 4"),
    "two headers": ([WHOLE[0], *WHOLE], "second header"),
    "two runs": ([*WHOLE, *WHOLE], "second header"),
    "a result after the footer": ([*WHOLE, encode(line("log", Verdict.PASS))], "after the footer"),
    "two footers": ([*WHOLE, WHOLE[3]], "after the footer"),
    "a result twice": ([*WHOLE[:3], WHOLE[1], WHOLE[3]], "is also in line 2"),
    "a contradiction": ([*WHOLE[:3], encode(line("tanh", Verdict.FAIL)), WHOLE[3]], "is also in line 2"),
    "false counts": ([*WHOLE[:3], encode(EndLine(True, {"pass": 2}))], "footer counts"),
    "a result missing": ([*WHOLE[:2], WHOLE[3]], "footer counts"),
    "a footer of an unfinished run": ([*WHOLE[:3], encode(EndLine(False, {}))], "was not finished"),
    "deep JSON": ([WHOLE[0], "[" * 100_000, *WHOLE[1:]], "line 2"),
    "text": ([WHOLE[0], "hello", *WHOLE[1:]], "line 2"),
    "an array": ([WHOLE[0], "[]", *WHOLE[1:]], "line 2"),
    "a line of an unknown type": ([WHOLE[0], '{"type":"other"}', *WHOLE[1:]], "line 2"),
    "a verdict that is none": ([WHOLE[0], WHOLE[1].replace('"pass"', '"fine"'), *WHOLE[2:]], "line 2"),
    "a NUL": ([WHOLE[0], "\0", *WHOLE[1:]], "line 2"),
}


@pytest.mark.parametrize("name", DAMAGES)
def test_damage_is_reported_with_exit_code_12(
    name: str, tmp_path: Path, monkeypatch: Any, capsys: Any
) -> None:
    lines, says = DAMAGES[name]
    monkeypatch.chdir(tmp_path)
    Path("run.jsonl").write_text("\n".join(lines) + "\n")
    run = read_run(Path("run.jsonl"))
    assert says in run.missing
    assert run.results
    assert main(["report", "run.jsonl", "-o", "report.md"]) == 12
    assert says in capsys.readouterr().err
    assert main(["compare", "run.jsonl", "run.jsonl"]) == 12


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(data=st.data())
def test_a_damaged_file_is_refused_or_read_without_another_error(data: st.DataObject, tmp_path: Path) -> None:
    whole = ("\n".join(WHOLE) + "\n").encode()
    start = data.draw(st.integers(0, len(whole)))
    stop = data.draw(st.integers(start, len(whole)))
    damaged = whole[:start] + data.draw(st.binary(max_size=20)) + whole[stop:]
    path = tmp_path / "run.jsonl"
    path.write_bytes(damaged)
    try:
        run = read_run(path)
    except RunFileError:
        return
    assert len(run.results) <= 2
    if run.is_complete:
        assert run.end is not None
        assert run.end.counts in ({}, run.counts())


def bomb(size: int) -> str:
    return PREFIX + base64.urlsafe_b64encode(zlib.compress(bytes(size), 9)).decode().rstrip("=")


@pytest.mark.parametrize(
    "token",
    [bomb(500_000_000), PREFIX + "A" * 20_000_000, PREFIX, "c1:é", PREFIX + "A" * 8, bomb(10)],
    ids=["a bomb", "20 MB", "nothing", "no ASCII", "no zlib", "no record"],
)
def test_a_bad_token_is_refused(token: str) -> None:
    with pytest.raises(UsageError, match="not a whole replay token"):
        Case.from_token(token)


def test_a_file_that_names_an_adapter_does_not_load_it(tmp_path: Path, monkeypatch: Any, capsys: Any) -> None:
    monkeypatch.chdir(tmp_path)
    Path("evil.py").write_text("from pathlib import Path\nPath('loaded').touch()\n")
    header = HEADER.__class__(
        **{f: getattr(HEADER, f) for f in HEADER.__struct_fields__}
        | {"backends": (BackendLine("mine", "mine", "1", spec="evil.py"),)}
    )
    failure = line("tanh", Verdict.FAIL, "wrong")
    evidence = failure.evidence.__class__(message="wrong", token="c1:x")
    failed = failure.__class__(
        **{f: getattr(failure, f) for f in failure.__struct_fields__} | {"evidence": evidence}
    )
    Path("run.jsonl").write_text("\n".join(map(encode, (header, failed, EndLine(True, {"fail": 1})))))
    for command in (
        ["replay", failed.id],
        ["run", "--resume", "run.jsonl"],
        ["run", "--rerun-failed", "run.jsonl"],
    ):
        assert main(command) == 4
        assert "--trust" in capsys.readouterr().err
        assert not Path("loaded").exists()


# what a run that goes on does not take
OTHERWISE = [
    (["--resume", "run.jsonl", "--seed", "7"], "leave out --seed 7"),
    (["--resume", "run.jsonl", "--profile", "thorough"], "leave out --profile thorough"),
    (["--resume", "run.jsonl", "-q", "op/cos"], "leave out -q op/cos"),
    (["--resume", "run.jsonl", "--shard", "1/2"], "leave out --shard 1/2"),
    (["--resume", "run.jsonl", "-o", "other.jsonl"], "leave out -o other.jsonl"),
    (["--resume", "run.jsonl", "--rerun-failed", "run.jsonl"], "give one of them"),
    (["--rerun-failed", "run.jsonl", "--seed", "7"], "leave out --seed 7"),
]


@pytest.mark.parametrize(("arguments", "said"), OTHERWISE, ids=[" ".join(a) for a, _ in OTHERWISE])
def test_what_an_earlier_run_decided_is_not_silently_kept(
    arguments: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("run.jsonl").write_text("\n".join(WHOLE[:3]))
    assert main(["run", "numpy", *arguments]) == 4
    assert said in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["run.jsonl"]


def test_a_file_of_times_is_not_resumed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    monkeypatch.chdir(tmp_path)
    timed = msgspec.structs.replace(HEADER, profile="bench")
    Path("run.jsonl").write_text("\n".join([encode(timed), *WHOLE[1:3]]))
    assert main(["run", "--resume", "run.jsonl"]) == 4
    assert "run.jsonl is no run of questions" in capsys.readouterr().err


TIMES = TimingLine("mlp", "small", "mine", "float64", "gradient", 1e-3)


@pytest.mark.parametrize("verb", ["known update", "known check", "compare run.jsonl", "run --rerun-failed"])
def test_a_file_of_times_is_not_read_as_one_of_results(
    verb: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("run.jsonl").write_text("\n".join(map(encode, (HEADER, TIMES, TIMES, EndLine(True, {})))))
    assert main([*verb.split(), "run.jsonl"]) == 4
    assert "run.jsonl has 2 times, and no results, which conformance run writes" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["run.jsonl"]


def test_merged_files_of_times_keep_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("times.jsonl").write_text("\n".join(map(encode, (HEADER, TIMES, EndLine(True, {})))))
    assert main(["merge", "times.jsonl", "-o", "merged.jsonl"]) == 0
    assert "1 time of 1 file in merged.jsonl" in capsys.readouterr().out
    assert read_run(Path("merged.jsonl")).timings == [TIMES]


@pytest.mark.parametrize("part", ["0/3", "4/3", "1/0", "a/b", "1", "1/3/4", "-1/3", "１/３", "01/3", "1/2 "])
def test_a_shard_that_is_none_is_refused_before_an_engine_is_started(
    part: str, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.setattr("conformance.run.conduct.describe_all", lambda specs: pytest.fail("started"))
    assert main(["run", "numpy", f"--shard={part}"]) == 4
    assert "expected i/n with 1 <= i <= n, for example 1/4" in capsys.readouterr().err


# injected, exit code
TOMLS = {
    "an unknown key": '[[known]]\nid = "a"\nreason = "r"\nsay = "x"',
    "no reason": '[[known]]\nid = "a"',
    "no table": "known = 3",
    "bad TOML": "[[known",
    "a date that is none": '[[known]]\nid = "a"\nreason = "r"\nexpires = "soon"',
    "deep TOML": "known = " + "[" * 50_000,
    "versions that are none": '[[known]]\nid = "b/*"\nreason = "r"\nversions = "newer"',
    "a misspelt table": '[[knwon]]\nid = "a"\nreason = "r"',
    "no ids": '[[known]]\nid = []\nreason = "r"',
    "no patterns": '[[known]]\nid = "a"\nreason = "r"\nsays = []',
    "an empty pattern": '[[known]]\nid = "a"\nreason = "r"\nsays = ["x", ""]',
    "no calls": '[[known]]\nid = "a"\nreason = "r"\ncalls = ""',
    "a blank reason": '[[known]]\nid = "a"\nreason = " "',
    "an empty reason": '[[known]]\nid = "a"\nreason = ""',
    "a range that is empty": '[[known]]\nid = "mine/op/[z-a]*"\nreason = "r"',
    "documented nowhere": '[[known]]\nid = "a"\nreason = "r"\nkind = "documented"\nsentence = "It is so."',
    "documented without its sentence": '[[known]]\nid = "a"\nreason = "r"\nkind = "documented"\nlink = "there"',
    "an empty id": '[[known]]\nid = ["a", ""]\nreason = "r"',
}


@pytest.mark.parametrize("name", TOMLS)
def test_a_bad_file_of_known_failures_is_said_in_a_line(name: str, tmp_path: Path) -> None:
    path = tmp_path / "known.toml"
    path.write_text(TOMLS[name])
    with pytest.raises(UsageError, match=r"known\.toml"):
        read_known(path)
    with pytest.raises(UsageError, match=r"known\.toml"):
        write_known(path, [line("tanh", Verdict.FAIL, "wrong")], "")
    assert path.read_text() == TOMLS[name]


@pytest.mark.parametrize(
    ("second", "said"),
    [
        ('id = "b"\nreason = "r"\nsay = "x"', r"no field 'say'; did you mean says\? \(entry 2, line 4, b\)"),
        ('id = ["b", "c"]\nreason = "r"\nkind = "falut"', r"'not implemented'; did you mean fault\? \(entry 2, line 4, b\)"),
        ('id = 3\nreason = "r"', r"Expected `str | array`, got `int` - at `id` \(entry 2, line 4\)"),
        ('id = "b"\nreason = """\n[[known]]\n"""\nfoo = 1', r"no field 'foo'; there are id, .* \(entry 2, in the file, b\)"),
    ],
)  # fmt: skip
def test_an_entry_with_a_slip_is_named_with_what_may_be_meant(second: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "known.toml").write_text(f'[[known]]\nid = "a"\nreason = "r"\n[[known]]\n{second}\n')
    with pytest.raises(UsageError, match=said):
        read_known(tmp_path / "known.toml")


def test_a_file_that_an_editor_gave_a_mark_of_its_encoding_is_read(tmp_path: Path) -> None:
    path = tmp_path / "known.toml"
    path.write_bytes(b"\xef\xbb\xbf[[known]]\r\nid = 'a'\r\nreason = 'r'\r\n")
    assert [entry.ids for entry in read_known(path)] == [("a",)]
    write_known(path, [line("tanh", Verdict.FAIL, "wrong")], "")
    assert len(read_known(path)) == 2


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"], ids=["plain", "marked"])
@pytest.mark.parametrize("end", [b"\r\n", b"\n"], ids=["CRLF", "LF"])
def test_a_file_that_is_extended_keeps_its_line_ends_and_its_mark(
    end: bytes, mark: bytes, tmp_path: Path
) -> None:
    path = tmp_path / "known.toml"
    before = mark + end.join([b"# ours", b"[[known]]", b"id = 'a'", b"reason = 'r'", b""])
    path.write_bytes(before)
    write_known(path, [line("tanh", Verdict.FAIL, "wrong")], "")
    after = path.read_bytes()
    assert after.startswith(before)
    assert len(after) > len(before)
    assert after.count(end) == after.count(b"\n")
    assert after.count(b"\xef\xbb\xbf") == bool(mark)


@pytest.mark.parametrize(
    ("versions", "version", "holds"),
    [("", "1.0", True), (">=2.14", "2.14.1", True), (">=2.14", "2.13", False), ("<2", "1.9rc1", True), (">=1", "branch", False)],
)  # fmt: skip
def test_an_entry_is_about_the_versions_that_it_names(versions: str, version: str, *, holds: bool) -> None:
    entry = KnownFailure("mine/op/*", "r", versions=versions)
    backends = [BackendLine("mine", "mine", version), BackendLine("other", "other", "2.14")]
    assert bool(in_force([entry], backends)) == holds


def test_a_line_is_not_read_whole_to_be_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bound = 4_000
    monkeypatch.setattr(jsonl, "LONGEST_LINE", bound)
    path = tmp_path / "run.jsonl"
    path.write_text("\n".join([*WHOLE[:2], 500 * bound * "x", *WHOLE[2:]]) + "\n", encoding="utf-8")
    tracemalloc.start()
    try:
        run = read_run(path)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert [damage.line for damage in run.damage] == [3]
    assert f"more than {bound} bytes" in str(run.damage[0])
    assert len(run.results) == 2
    assert peak < 100 * bound
