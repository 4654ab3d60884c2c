"""new-backend: write an adapter file and a CI workflow, ready to fill in."""

from __future__ import annotations

import argparse
import keyword
from collections.abc import Mapping
from pathlib import Path

from conformance.cli.console import add_json_flag

WORKFLOWS = {
    "github": (".github/workflows/conformance.yml", "a workflow of GitHub Actions"),
    "gitlab": (".gitlab-ci.yml", "a job of GitLab CI"),
}

# The same questions in every run, on every machine: what fits into a budget is not.
SHORT = "-q 'op/*/vjp' -q contract -q capability"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What `new-backend` takes."""
    parser.add_argument("name", metavar="NAME", help="the engine's name, as its users install it")
    parser.add_argument(
        "--functional", action="store_true", help="gradients are functions of functions; there is no tape"
    )
    parser.add_argument(
        "-o", "--output", type=Path, metavar="FILE", help="where to write it (default: NAME_adapter.py)"
    )
    for name, (path, what) in WORKFLOWS.items():
        parser.add_argument(
            f"--{name}",
            type=Path,
            nargs="?",
            const=Path(path),
            metavar="FILE",
            help=f"also write {what} that runs the adapter and compares with the last run (default: {path})",
        )
    parser.add_argument(
        "--short",
        action="store_true",
        help=f"the workflow asks a part, for an engine that compiles each call: {SHORT}",
    )
    add_json_flag(parser)


def command(options: argparse.Namespace) -> int:
    """Write the adapter, unless only a workflow is asked for it, and the workflows; print what to do next."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    from conformance.backend import NAME
    from conformance.cli.console import print_json
    from conformance.errors import UsageError
    from conformance.load import named
    from conformance.runfile.whole import write_whole

    name = options.name
    identifier = name.replace("-", "_").replace(".", "_")
    is_name = NAME.fullmatch(name) and identifier.isidentifier()
    if not is_name or keyword.iskeyword(identifier) or not identifier.strip("_"):
        raise UsageError(
            f"{name!r} is no name for an engine: letters, digits, dots, '-' and '_' make one, and no word of Python's"
        )
    path = options.output or Path(f"{identifier}_adapter.py")
    if path.suffix != ".py":
        raise UsageError(
            f"-o {path}: an adapter is a module of Python, which is called by a name that ends with .py"
        )
    workflows = {n: file for n in WORKFLOWS if (file := getattr(options, n))}
    is_kept = bool(workflows) and options.output is None and path.exists()
    files = {} if is_kept else {path: "adapter.py.jinja"}
    files |= {file: f"{n}.yml.jinja" for n, file in workflows.items()}
    for file in files:
        if file.exists():
            raise UsageError(f"{file} is there already; choose another with {_flag(file, workflows)} FILE")
    templates = Environment(
        loader=PackageLoader("conformance.cli"), undefined=StrictUndefined, autoescape=False, keep_trailing_newline=True
    )  # fmt: skip
    given = {
        "name": name,
        "identifier": identifier,
        "title": "".join(part.title() for part in identifier.split("_")),
        "face": "functional" if options.functional else "tape",
        "path": str(path),
        "queries": SHORT if options.short else "",
        "short": SHORT,
    }
    for file, template in files.items():
        try:
            write_whole(file, templates.get_template(template).render(given))
        except OSError as error:
            raise UsageError(f"cannot write {file}: {error.strerror}") from None
        print(f"wrote {file}")
    if name in named():
        print(
            f"{name} is an installed adapter's name: `conformance run {name}` asks that one, `conformance run {path}` yours"
        )
    steps = "gate_steps.txt.jinja" if is_kept else "next_steps.txt.jinja"
    next_steps = templates.get_template(steps).render(given)
    if options.as_json:
        print_json({"wrote": [str(file) for file in files], "next": next_steps})
    print(next_steps, end="")
    return 0


def _flag(file: Path, workflows: Mapping[str, Path]) -> str:
    return next((f"--{name}" for name, path in workflows.items() if path == file), "-o")
