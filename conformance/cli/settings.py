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

SWITCH = {"1": True, "true": True, "yes": True, "0": False, "false": False, "no": False, "": False}


@cache
def _project(folder: Path) -> dict[str, Any]:
    path = folder / "pyproject.toml"
    if not path.is_file():
        return {}
    try:
        tool = tomllib.loads(path.read_text(encoding="utf-8")).get("tool", {})
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} cannot be read: {error}") from None
    table = tool.get("conformance", {}) if isinstance(tool, dict) else tool
    if not isinstance(table, dict):
        raise UsageError(f"{path}: tool.conformance = {table!r} is not a table of settings")
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
        if str(value).lower() not in SWITCH:
            raise UsageError(f"the setting {action.dest} = {value!r} is neither true nor false")
        return SWITCH[str(value).lower()]
    if isinstance(action, argparse._AppendAction):
        given = value if isinstance(value, list) else str(value).split(",")
        if not all(isinstance(item, str) for item in given):
            raise UsageError(f"the setting {action.dest} = {value!r} is not a list of strings")
        return given
    kind: Callable[[str], Any] = action.type if callable(action.type) else str
    try:
        converted = kind(str(value))
    except argparse.ArgumentTypeError as error:
        raise UsageError(f"the setting {action.dest}: {error}") from None
    except ValueError:
        raise UsageError(
            f"the setting {action.dest} = {value!r} is not a {getattr(kind, '__name__', kind)}"
        ) from None
    if action.choices and converted not in action.choices:
        raise UsageError(f"the setting {action.dest} = {value!r} is none of {', '.join(action.choices)}")
    return converted
