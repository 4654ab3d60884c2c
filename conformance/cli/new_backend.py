"""new-backend: write an adapter file, its tox environment and a CI step, ready to fill in."""

from __future__ import annotations

import argparse
from pathlib import Path


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What `new-backend` takes."""
    parser.add_argument("name", metavar="NAME", help="the engine's name, as its users install it")
    parser.add_argument(
        "--functional", action="store_true", help="gradients are functions of functions; there is no tape"
    )
    parser.add_argument(
        "-o", "--output", type=Path, metavar="FILE", help="where to write it (default: NAME_adapter.py)"
    )


def command(options: argparse.Namespace) -> int:
    """Write the file; print what goes elsewhere and what to do next."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    from conformance.errors import UsageError

    name = options.name
    identifier = name.replace("-", "_").replace(".", "_")
    if not identifier.isidentifier():
        raise UsageError(f"{name!r} is no name for an engine: letters, digits, '-' and '_' make one")
    path = options.output or Path(f"{identifier}_adapter.py")
    if path.exists():
        raise UsageError(f"{path} is there already; choose another with -o FILE")
    templates = Environment(
        loader=PackageLoader("conformance.cli"), undefined=StrictUndefined, autoescape=False, keep_trailing_newline=True
    )  # fmt: skip
    given = {
        "name": name,
        "identifier": identifier,
        "title": "".join(part.title() for part in identifier.split("_")),
        "face": "functional" if options.functional else "tape",
        "path": str(path),
    }
    try:
        path.write_text(templates.get_template("adapter.py.jinja").render(given), encoding="utf-8")
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror}") from None
    print(templates.get_template("next_steps.txt.jinja").render(given))
    return 0
