"""Is what is published complete, and does the core stay what it says it is?

`tox run -e package` builds the distribution and names its folder in DIST; without it those tests are skipped.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tarfile
import tomllib
from importlib import import_module
from importlib.metadata import entry_points, version
from pathlib import Path

import pytest

import conformance

ROOT = Path(__file__).parents[1]
PACKAGES = ("conformance", "conformance_backends", "conformance_reports")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
ENGINE = re.compile(r"torch|jax", re.IGNORECASE)


def test_core_names_no_engine() -> None:
    named = [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()}"
        for path in sorted((ROOT / "conformance").rglob("*.py"))
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1)
        if ENGINE.search(line)
    ]
    assert not named, "\n".join(named)


@pytest.mark.parametrize("name", PACKAGES)
def test_importing_a_package_imports_no_engine(name: str) -> None:
    script = f"import sys, {name}; print(*sorted(sys.modules))"
    loaded = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    ).stdout.split()
    assert not {"torch", "jax"}.intersection(loaded)


def test_version_is_that_of_the_package() -> None:
    assert version("autograd-conformance") == conformance.__version__


@pytest.mark.parametrize(
    "group", ["conformance.backends", "conformance.reports", "conformance.mutants", "pytest11"]
)
def test_entry_points_lead_somewhere(group: str) -> None:
    declared = PROJECT["project"]["entry-points"].get(group, {})
    found = {point.name: point for point in entry_points(group=group)}
    for name, target in declared.items():
        assert name in found, f"{name} was declared after this was installed: install again"
        assert found[name].value == target
        module = ROOT / {"conformance_backends": "backends", "conformance_reports": "reports"}.get(
            target.partition(".")[0], "."
        )
        path = module / target.partition(":")[0].replace(".", "/")
        assert path.with_suffix(".py").is_file() or (path / "__init__.py").is_file(), target


@pytest.mark.parametrize("name", PACKAGES)
def test_packages_are_typed(name: str) -> None:
    assert (Path(str(import_module(name).__file__)).parent / "py.typed").is_file()


def test_every_direct_dependency_is_pinned() -> None:
    pins = set(
        re.findall(r"^([\w.-]+)==", (ROOT / "constraints.txt").read_text(encoding="utf-8"), re.MULTILINE)
    )
    project = PROJECT["project"]
    listed = [
        *project["dependencies"],
        *(d for extra in project["optional-dependencies"].values() for d in extra),
    ]
    listed += PROJECT["build-system"]["requires"]
    names = {re.match(r"[\w.-]+", text)[0].lower() for text in listed}  # type: ignore[index]
    assert names - {"autograd-conformance"} <= pins


# ---- what was built -----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def dist() -> Path:
    folder = os.environ.get("DIST")
    if not folder:
        pytest.skip("nothing was built: run tox -e package")
    return Path(folder)


def test_source_distribution_can_be_tested(dist: Path) -> None:
    (path,) = dist.glob("*.tar.gz")
    with tarfile.open(path) as archive:
        inside = {name.partition("/")[2] for name in archive.getnames()}
    tracked = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.split("\n")
    assert not {name for name in tracked if name} - inside - {".gitignore"}


def test_wheel_works_away_from_this_tree(dist: Path, tmp_path: Path) -> None:
    (wheel,) = dist.glob("*.whl")
    bare = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}

    def run(*command: str) -> str:
        ended = subprocess.run(command, cwd=tmp_path, env=bare, capture_output=True, text=True)
        assert ended.returncode == 0, ended.stdout + ended.stderr
        return ended.stdout

    run(sys.executable, "-m", "venv", "clean")
    folder = tmp_path / "clean" / ("Scripts" if os.name == "nt" else "bin")
    run(str(folder / "python"), "-m", "pip", "install", "-q", "-c", str(ROOT / "constraints.txt"), str(wheel))
    where = run(
        str(folder / "python"),
        "-W",
        "error",
        "-c",
        f"import {', '.join(PACKAGES)}; print(conformance.__file__)",
    )
    assert Path(where.strip()).is_relative_to(tmp_path)
    assert run(str(folder / "conformance"), "--version").split() == ["conformance", conformance.__version__]
    assert "A1" in run(str(folder / "conformance"), "list", "clauses")
    run(
        str(folder / "conformance"),
        "run",
        "numpy",
        "-q",
        "op/tanh",
        "--html",
        "report.html",
        "--junit",
        "report.xml",
    )
    assert (tmp_path / "report.html").is_file()


def test_the_oldest_releases_are_those_that_are_promised() -> None:
    text = (ROOT / "constraints-oldest.txt").read_text(encoding="utf-8")
    pinned = dict(line.split("==") for line in text.splitlines() if "==" in line)
    extras = PROJECT["project"]["optional-dependencies"]
    asked = [
        *PROJECT["project"]["dependencies"],
        *(extras[engine][0] for engine in ("autograd", "jax", "mygrad")),
    ]
    promised = dict(re.sub(r"\[.*\]", "", requirement).split(">=") for requirement in asked)
    assert pinned.keys() - {"jaxlib"} == promised.keys()
    for name, bound in promised.items():
        assert pinned[name] == bound or re.fullmatch(rf"{re.escape(bound)}(\.0)+", pinned[name]), name
