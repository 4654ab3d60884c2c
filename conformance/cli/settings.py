"""Where flags get their defaults: `[tool.conformance]` of pyproject.toml, then `CONFORMANCE_*`.

A flag given on the command line wins over both.
"""

from __future__ import annotations

import argparse
import os
import tomllib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from conformance.errors import UsageError


@cache
def _project(folder: Path) -> dict[str, Any]:
    path = folder / "pyproject.toml"
    if not path.is_file():
        return {}
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8")).get("tool", {}).get("conformance", {})
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} cannot be read: {error}") from None
    return {name.replace("-", "_"): value for name, value in table.items()}


def apply(parser: argparse.ArgumentParser) -> None:
    """Set the defaults of a verb's flags from the project's settings and the environment."""
    project = _project(Path.cwd())
    for action in parser._actions:
        if not action.option_strings or action.dest == "help":
            continue
        value = os.environ.get(f"CONFORMANCE_{action.dest.upper()}", project.get(action.dest))
        if value is not None:
            parser.set_defaults(**{action.dest: _converted(action, value)})


def _converted(action: argparse.Action, value: Any) -> Any:
    if isinstance(action, argparse._StoreTrueAction):
        return value is True or str(value).lower() in ("1", "true", "yes")
    if isinstance(action, argparse._AppendAction):
        return value if isinstance(value, list) else str(value).split(",")
    kind: Callable[[str], Any] = action.type if callable(action.type) else str
    try:
        converted = kind(str(value))
    except (ValueError, argparse.ArgumentTypeError):
        raise UsageError(
            f"the setting {action.dest} = {value!r} is not a {getattr(kind, '__name__', kind)}"
        ) from None
    if action.choices and converted not in action.choices:
        raise UsageError(f"the setting {action.dest} = {value!r} is none of {', '.join(action.choices)}")
    return converted
