"""What cannot be meant is refused with one line that says what is possible."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from conformance.cli import main, parser
from conformance.runfile.jsonl import SCHEMA, encode
from conformance.runfile.records import RunLine, SpecLine


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["run", "nunpy"], 4, "did you mean numpy"),
        (
            ["explain", "capability"],
            4,
            "it begins the ids of many checks: conformance list checks capability/",
        ),
        (["run", "nowhere.py"], 4, "there is no file nowhere.py"),
        (["run", "numpy", "--shard", "5/4"], 4, "expected i/n with 1 <= i <= n"),
        (["run", "numpy", "--shard", f"1/{10**9}"], 4, "'1/1000000000': i and n have at most 9 digits"),
        (["run", "numpy", "--shard", "half"], 4, "expected i/n with 1 <= i <= n"),
        (["run", "numpy", "--timeout", "0"], 4, "'0' is not a number above zero"),
        (["run", "numpy", "--timeout", "nan"], 4, "'nan' is not a number above zero"),
        (
            ["run", "numpy", "--timeout", "1e10"],
            4,
            "argument --timeout: '1e10' is too long: at most 1000000 seconds",
        ),
        (
            ["run", "numpy", "--budget", "300h"],
            4,
            "argument --budget: '300h' is too long: at most 1000000 seconds",
        ),
        (["replay", "c1:x", "--timeout", "1e10"], 4, "'1e10' is too long: at most 1000000 seconds"),
        (["run", "numpy", "-n", "-1"], 4, "'-1' is not a whole number"),
        (["run", "numpy", "--seed", "x"], 4, "'x' is not a whole number"),
        (["run", "numpy", "--seed", "9" * 26], 4, "18 digits are enough"),
        (["run", "numpy", "--profile", "huge"], 4, "no such choice: 'huge'"),
        (["run", "numpy", "--known", "none.toml"], 4, "cannot read the known failures none.toml"),
        (["run", "numpy", "-q", "op/tanh/vjp", "-o", "."], 4, "cannot write the run file"),
        (["run", "numpy", "-q", "op/tahn"], 5, "the query 'op/tahn' matches nothing"),
        (["run", "--sede", "3"], 4, "unrecognized arguments: --sede; did you mean --seed?"),
        (["run", "numpy", "--budgt=5m"], 4, "unrecognized arguments: --budgt=5m; did you mean --budget?"),
        (
            ["bench", *["numpy", "--workload", "mlp", "--size", "small", "--reference", "nunpy"]],
            4,
            "no backend is called 'nunpy'; did you mean numpy?",
        ),
        (["bench", "--sizes", "small"], 4, "unrecognized arguments: --sizes; did you mean --size?"),
        (["list", "ops", "--jsn"], 4, "did you mean --json?"),
        (["known", "check", "run.jsonl", "--knwon", "x"], 4, "did you mean --known?"),
        (["run", "--xyzzy"], 4, "unrecognized arguments: --xyzzy; its flags: conformance run --help"),
        (
            ["run", "numpy", "--budget", "-5m"],
            4,
            "argument --budget: expected one argument; '-5m' is no time",
        ),
        (["run", "numpy", "-n", "-x5"], 4, "argument -n/--workers: expected one argument; '-x5' is not a"),
        (["run", "-q", "-op"], 4, "and '-op' begins like a flag; if it is the value: --query=-op"),
        (["run", "--resume", "--trust"], 4, "argument --resume: expected one argument\n"),
        (["selftest", "scope-*", "-n", "-3"], 4, "argument -n/--workers: '-3' is not a whole number"),
        (["selftest", "--generated", "--sample", "-5"], 4, "argument --sample: '-5' is not a whole number"),
        (["selftest", "--generated", "--at-least", "nan"], 4, "'nan' is no percentage, from 0 to 100"),
        (["run", "--seed", "x" * 10_000], 4, "x … (9900 characters) … x"),
        (["run", "--" + "x" * 10_000], 4, "x … (9902 characters) … x"),
        (["x" * 10_000], 4, "x … ("),
        *(
            ([*verb.split(), long], code, f"{long[:50]} … (99")
            for verb, code in (
                *(("run numpy -q", 5), ("run", 4), ("list ops", 5), ("explain", 4), ("smoke numpy -q", 4)),
                *(("replay", 4), ("selftest", 5), ("sensitivity -q", 5), ("bench --workload", 4)),
                ("new-backend", 4),
            )
            for long in ["x" * 10_000]
        ),
        (
            ["explain", "B1", "--runs", "r.jsonl"],
            4,
            "--runs is for the page engines or mutants, and 'B1' does not",
        ),
        (["explain", "standard", "--known", "k.toml"], 4, "--known is for the page engines, and 'standard'"),
        (["explain", "mutants", "--known", "k.toml"], 4, "leave out --known"),
        (["selftest", "--power", "--generated"], 4, "--generated and --power are 2 commands"),
        (["selftest", "--power", "--variants"], 4, "--power and --variants are 2 commands"),
        (["selftest", "scope-*", "--sample", "3"], 4, "--sample is of the mutants that a program makes"),
        (["selftest", "--power", "--matrix", "op/tanh"], 4, "and not of --power: leave it out"),
        (["rum"], 4, "no such choice: 'rum'; did you mean run? All of them: conformance --help"),
        (["repot", "x"], 4, "did you mean report"),
        (["run", "chainer"], 4, "conformance new-backend chainer"),
        (["report", "none.jsonl", "-o", "r.html"], 4, "cannot read the run file none.jsonl"),
        (["replay", "c1:nothing", "--on", "numpy"], 4, "is not a whole replay token"),
        (["replay", "tanh"], 4, "is neither a replay token"),
        (["smoke", "nunpy"], 4, "did you mean numpy"),
        (["smoke", "conformance.backend:Nothing"], 4, "has no Nothing"),
        (["smoke", "no_such_module:Thing"], 11, "No module named 'no_such_module'"),
    ],
)
def test_a_wrong_command_is_one_error_with_its_exit_code(
    arguments: list[str], code: int, said: str, tmp_path: Path, monkeypatch: Any, capsys: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(arguments) == code
    err = capsys.readouterr().err
    assert said in err
    assert "Traceback" not in err
    assert max(map(len, err.splitlines())) < 1000


REPLACING = [  # what a command writes, and reads or writes besides
    (
        ["report", "run.jsonl", "-o", "run.jsonl", "--format", "html"],
        "-o run.jsonl would replace the file of RUN",
    ),
    (["report", "run.jsonl", "-o", "./link.html"], "-o link.html would replace the file of RUN"),
    (["compare", "old.md", "run.jsonl", "-o", "old.md"], "-o old.md would replace the file of OLD"),
    (["run", "mine.py", "-o", "mine.py", "--force"], "-o mine.py would replace the file of BACKEND"),
    (["run", "mine.py:Mine", "-o", "mine.py"], "-o mine.py would replace the file of BACKEND"),
    (["run", "numpy", "-o", "x.html", "--html", "x.html"], "would replace the file of"),
    (["run", "numpy", "--known", "known.toml", "--junit", "known.toml"], "would replace the file of --known"),
    (["run", "numpy", "--report", "a.xml", "--junit", "a.xml"], "would replace the file of --"),
    (["run", "numpy", "--html", "folder"], "--html folder is a folder"),
    (["run", "numpy", "--html", "known.toml/r.html"], "a file stands where a folder is needed"),
    (["run", "numpy", "-o", "-"], "-o - is no file here; for standard output: -o /dev/stdout"),
    (["run", "numpy", "--junit", "-"], "--junit - is no file here"),
    (["report", "run.jsonl", "-o", "-", "--format", "html"], "-o - is no file here"),
    (
        ["run", "--rerun-failed", "run.jsonl", "-o", "run.jsonl", "--force"],
        "-o run.jsonl would replace the file of --rerun-failed",
    ),
    (["run", "--rerun-failed", "link.html", "--force"], "would replace the file of --rerun-failed"),
    (
        ["run", "--rerun-failed", "cut.jsonl.part", "-o", "cut.jsonl", "--force"],
        "would replace the file of --rerun-failed",
    ),
    (
        ["run", "--rerun-failed", "cut.jsonl", "-o", "cut.jsonl", "--force"],
        "would replace the file of --rerun-failed",
    ),
]


@pytest.mark.parametrize(("arguments", "said"), REPLACING, ids=[" ".join(a) for a, _ in REPLACING])
def test_no_file_of_a_command_is_written_over_by_its_output(
    arguments: list[str], said: str, tmp_path: Path, monkeypatch: Any, capsys: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("run.jsonl", "old.md", "mine.py", "known.toml", "cut.jsonl.part"):
        Path(name).write_text("kept")
    Path("link.html").symlink_to("run.jsonl")
    Path("folder").mkdir()
    assert main(arguments) == 4
    assert said in capsys.readouterr().err
    assert {path.read_text() for path in tmp_path.iterdir() if path.is_file()} == {"kept"}


@pytest.mark.parametrize("verb", [["report"], ["known", "check"], ["compare", "run.jsonl"]])
def test_json_is_not_asked_of_a_file_whose_name_it_cannot_have(
    verb: list[str], tmp_path: Path, monkeypatch: Any, capsys: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main([*verb, os.fsdecode(b"\xff.jsonl"), "--json"]) == 4
    (said,) = capsys.readouterr().err.splitlines()
    assert "'\\udcff.jsonl': names have to be UTF-8 here, and this one is not; rename it" in said


@pytest.mark.parametrize("flag", ["--html", "--junit", "--report"])
@pytest.mark.parametrize("path", ["shut/r.html", "shut/new/r.html", "shut.html"])
def test_a_report_that_cannot_be_written_is_said_before_the_run(
    path: str, flag: str, tmp_path: Path, monkeypatch: Any, capsys: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("shut").mkdir()
    Path("shut.html").touch()
    # To root, who runs tests in containers, only a file system is ever shut.
    monkeypatch.setattr("os.access", lambda place, mode: not Path(place).name.startswith("shut"))
    monkeypatch.setattr("conformance.run.conduct.describe_all", lambda specs: pytest.fail("started"))
    assert main(["run", "numpy", flag, path]) == 4
    assert f"cannot write {flag} {path}: " in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[tool.conformance]\nseed = "many"', "the setting seed: 'many' is not a whole number"),
        ('[tool.conformance]\nworkers = "x"', "/pyproject.toml)"),
        ("[tool.conformance]\ntimeout = []", "the setting timeout: '[]' is not a number above zero"),
        ("[tool.conformance]\nquery = [1]", "query = [1] is not a list of strings"),
        ('[tool.conformance]\nprofile = "huge"', "profile = 'huge' is none of quick, standard, thorough"),
        ("[tool]\nconformance = 3", "tool.conformance = 3 is not a table of settings"),
        ("[tool.conformance]\nsede = 3", "has no setting 'sede'; did you mean seed?"),
        ("[tool.conformance", "cannot be read"),
        ("[tool.conformance]\nseed = " + "[" * 50_000, "cannot be read"),
    ],
)
def test_a_setting_of_the_wrong_kind_is_named(
    text: str, said: str, tmp_path: Path, monkeypatch: Any, capsys: Any
) -> None:
    (tmp_path / "pyproject.toml").write_text(text)
    monkeypatch.chdir(tmp_path)
    assert main(["run", "numpy"]) == 4
    assert said in capsys.readouterr().err


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig"])  # an editor may have marked the encoding
def test_settings_are_the_defaults_of_their_flags(encoding: str, tmp_path: Path, monkeypatch: Any) -> None:
    (tmp_path / "pyproject.toml").write_text(
        '[tool.conformance]\nseed = 7\nquery = ["op/tanh"]\nas-json = true\noutput = "a.jsonl"',
        encoding=encoding,
    )
    monkeypatch.chdir(tmp_path)
    options = parser().parse_args(["run", "numpy", "--timeout", "5"])
    assert (options.seed, options.query, options.timeout) == (7, ["op/tanh"], 5.0)
    assert options.output == Path("a.jsonl")
    assert parser().parse_args(["list", "ops"]).as_json is True


def test_a_setting_for_other_verbs_is_no_flag_that_a_page_does_not_use(
    tmp_path: Path, monkeypatch: Any, capsys: Any
) -> None:
    (tmp_path / "pyproject.toml").write_text('[tool.conformance]\nknown = "known.toml"')
    monkeypatch.chdir(tmp_path)
    assert main(["explain", "B1"]) == 0
    assert main(["explain", "B1", "--know", "known.toml"]) == 4


def test_a_flag_that_may_be_given_several_times_wins_over_its_setting(
    tmp_path: Path, monkeypatch: Any
) -> None:
    (tmp_path / "pyproject.toml").write_text('[tool.conformance]\nquery = ["op/tanh"]\noutput = "a.jsonl"')
    monkeypatch.chdir(tmp_path)
    options = parser().parse_args(["run", "numpy", "-q", "op/exp", "-q", "op/sin"])
    assert options.query == ["op/exp", "op/sin"]
    assert parser().parse_args(["report", "a.jsonl", "-o", "a.html"]).output == [Path("a.html")]


def test_the_environment_is_read_like_the_project_s_settings(
    tmp_path: Path, monkeypatch: Any, capsys: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CONFORMANCE_TIMEOUT", "soon")
    assert main(["run", "numpy"]) == 4
    said = capsys.readouterr().err
    assert "the setting timeout: 'soon'" in said
    assert "(in CONFORMANCE_TIMEOUT)" in said


def test_a_variable_that_is_no_setting_is_said_and_one_that_is_is_not(monkeypatch: Any, capsys: Any) -> None:
    for name in ("CONFORMANCE_WORKRES", "CONFORMANCE_PATIENCE", "CONFORMANCE_PART", "CONFORMANCE_SEED"):
        monkeypatch.setenv(name, "1")
    parser()
    said = [line for line in capsys.readouterr().err.splitlines() if "variable" in line]
    assert said == [
        "conformance: the environment variable CONFORMANCE_WORKRES is no setting; did you mean CONFORMANCE_WORKERS?"
    ]


def test_a_defect_of_ours_is_not_taken_for_a_failure_of_an_engine(monkeypatch: Any, capsys: Any) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("ours")

    monkeypatch.setattr("conformance.load.load_backend", broken)
    assert main(["smoke", "numpy"]) == 3
    assert "a defect of the suite" in capsys.readouterr().err


def test_a_package_that_is_not_installed_is_named(monkeypatch: Any, capsys: Any) -> None:
    def broken(*_: object) -> None:
        raise ModuleNotFoundError("No module named 'ml_dtypes'", name="ml_dtypes")

    monkeypatch.setattr("conformance.load.load_backend", broken)
    assert main(["smoke", "numpy"]) == 4
    said = capsys.readouterr().err
    assert "lacks ml_dtypes, which the suite needs" in said
    assert "defect" not in said


BROKEN = """
try:
    raise OSError("libblas.so: cannot open shared object file")
except OSError as error:
    raise ImportError("PLEASE READ THIS\\n" * 100) from error
"""


def test_a_package_that_is_installed_and_does_not_import_is_named(
    tmp_path: Path, monkeypatch: Any, capsys: Any
) -> None:
    def broken(*_: object) -> None:
        importlib.import_module("ml_broken")

    (tmp_path / "ml_broken.py").write_text(BROKEN)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr("conformance.load.load_backend", broken)
    assert main(["smoke", "numpy"]) == 4
    (said,) = capsys.readouterr().err.splitlines()
    assert (
        "cannot import ml_broken, which is installed: OSError: libblas.so: cannot open shared object" in said
    )
    assert said.endswith("pip install --force-reinstall ml_broken")


@pytest.mark.parametrize("name", [None, "conformance.cases"])
def test_an_import_of_ours_that_fails_is_a_defect(name: str | None, monkeypatch: Any, capsys: Any) -> None:
    def broken(*_: object) -> None:
        exec("raise ImportError('no such name', name=name)", {"__name__": "conformance.load", "name": name})

    monkeypatch.setattr("conformance.load.load_backend", broken)
    assert main(["smoke", "numpy"]) == 3
    assert "a defect of the suite" in capsys.readouterr().err


def test_a_package_that_an_engine_has_replaced_by_an_older_one_is_named(
    monkeypatch: Any, capsys: Any
) -> None:
    def broken(*_: object) -> None:
        raise AttributeError("module 'numpy' has no attribute 'unstack'")

    monkeypatch.setattr("conformance.load.load_backend", broken)
    monkeypatch.setattr(
        "importlib.metadata.requires", lambda _: ["numpy>=2.1", "torch>=99; extra == 'torch'"]
    )
    monkeypatch.setattr("importlib.metadata.version", lambda _: "1.26.4")
    assert main(["smoke", "numpy"]) == 4
    said = capsys.readouterr().err
    assert "found numpy 1.26.4: another package may have replaced it; pip install 'numpy>=2.1'" in said
    assert "an engine that needs what was found cannot be checked beside this project" in said
    assert "defect" not in said


def test_a_reader_that_closes_the_output_is_no_failure(monkeypatch: Any, capsys: Any) -> None:
    def closed(*_: object) -> None:
        try:
            raise BrokenPipeError
        except BrokenPipeError:
            raise SystemExit(1)  # as rich ends  # noqa: B904

    monkeypatch.setattr("conformance.load.load_backend", closed)
    assert main(["smoke", "numpy"]) == 0
    assert not capsys.readouterr().err


def test_a_working_folder_that_is_gone_is_named(tmp_path: Path, monkeypatch: Any, capsys: Any) -> None:
    folder = tmp_path / "gone"
    folder.mkdir()
    monkeypatch.chdir(folder)
    folder.rmdir()
    assert main(["list", "ops"]) == 4
    assert "the working folder has been removed" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["class", "_", "a/b", "../x", "1x", "", ".x", "a.-b/"])
def test_what_is_no_name_in_python_is_no_name_of_an_engine(
    name: str, tmp_path: Path, monkeypatch: Any, capsys: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["new-backend", name]) == 4
    assert "is no name for an engine" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_no_verb_shows_the_help(capsys: Any) -> None:
    assert main([]) == 0
    shown = capsys.readouterr().out
    assert "VERB" in shown
    assert "selftest" in shown


def test_a_completion_names_the_verbs(capsys: Any) -> None:
    pytest.importorskip("shtab")
    assert main(["--completion", "bash"]) == 0
    assert "selftest" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("module", "said"),
    [
        ("tensorflow", "pip install 'autograd-conformance[tensorflow]'"),
        ("other", "the package that has the module other"),  # of that name there may be somebody else's
    ],
)
def test_an_engine_that_is_not_installed_names_its_extra_or_its_module(
    module: str, said: str, tmp_path: Path, capsys: Any
) -> None:
    text = f"raise ModuleNotFoundError(\"No module named '{module}'\", name='{module}')\n"
    (tmp_path / "mine.py").write_text(text)
    assert main(["smoke", str(tmp_path / "mine.py")]) == 11
    assert f"Install what it needs: {said}, or put {module}.py" in capsys.readouterr().err


def test_an_engine_of_this_project_that_is_not_installed_names_its_extra_alone(
    tmp_path: Path, monkeypatch: Any, capsys: Any
) -> None:
    (tmp_path / "tensorflow.py").write_text(
        "raise ModuleNotFoundError(\"No module named 'tensorflow'\", name='tensorflow')"
    )
    monkeypatch.syspath_prepend(tmp_path)  # as on a machine without it
    monkeypatch.delitem(sys.modules, "tensorflow", raising=False)
    assert main(["smoke", "tensorflow"]) == 11
    said = capsys.readouterr().err
    assert "pip install 'autograd-conformance[tensorflow]'" in said
    assert "beside the adapter" not in said


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no such device")
@pytest.mark.parametrize("arguments", ["--help", "--version", "run --help", "list ops"])
def test_what_a_full_disk_does_not_take_is_an_error(arguments: str) -> None:
    command = [sys.executable, "-P", "-m", "conformance", *arguments.split()]
    with open("/dev/full", "w") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, done.stderr) == (4, "conformance: No space left on device: the output\n")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("report pipe", "cannot read the run file pipe: it is a named pipe, where a file is expected"),
        ("run --resume pipe", "it is a named pipe"),
        ("run --rerun-failed pipe", "it is a named pipe"),
        ("run numpy --known pipe", "cannot read the known failures pipe: it is a named pipe"),
        ("known check pipe", "it is a named pipe"),
        ("merge pipe -o merged.jsonl", "it is a named pipe"),
        ("report /dev/zero", "it is a device"),
        ("run pipe.py", "pipe.py is a pipe or a device, not a file"),
    ],
)
def test_what_is_never_written_is_not_waited_for(arguments: str, said: str, tmp_path: Path) -> None:
    for name in ("pipe", "pipe.py"):
        os.mkfifo(tmp_path / name)
    command = [sys.executable, "-P", "-m", "conformance", *arguments.split()]
    done = subprocess.run(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True, timeout=20, check=False)
    assert done.returncode == 4
    assert said in done.stderr


def test_what_a_shell_writes_is_read_and_by_a_report_twice() -> None:
    header = RunLine(SCHEMA, "r1", "2026-01-01T00:00:00+00:00", "quick", 0, SpecLine("0", "d"), {}, ())
    command = [sys.executable, "-P", "-m", "conformance", "report", "/dev/stdin"]
    given = encode(header)
    done = subprocess.run(command, input=given, capture_output=True, text=True, timeout=20, check=False)
    said = "conformance: /dev/stdin is not complete: it has no footer: the run was cut short\n"
    assert (done.returncode, done.stdout, done.stderr) == (12, "no backend, and no results\n", said)
