"""Where flags get their defaults: `[tool.conformance]` of pyproject.toml, then `CONFORMANCE_*`.

A flag given on the command line wins over both.
"""

from __future__ import annotations

import argparse
import difflib
import os
import re
import sys
import tomllib
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NoReturn

from conformance.cli.console import whole_number
from conformance.errors import UsageError, brief

PREFIX = "CONFORMANCE_"
# Variables that are no flags: how long an engine may take to start, and what this project's own tests take.
OTHERS = frozenset({f"{PREFIX}{name}" for name in ("PATIENCE", "FAULTS", "MUTANTS", "PART")})
LONG_WORD = re.compile(r"\S{200,}")  # as argparse repeats it
SWITCH = {"1": True, "true": True, "yes": True, "0": False, "false": False, "no": False, "": False}


@cache
def _project(folder: Path) -> dict[str, Any]:
    path = folder / "pyproject.toml"
    if not path.is_file():
        return {}
    try:
        tool = tomllib.loads(path.read_text(encoding="utf-8-sig")).get("tool", {})
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise UsageError(f"{path} cannot be read: {error}") from None
    table = tool.get("conformance", {}) if isinstance(tool, dict) else tool
    if not isinstance(table, dict):
        raise UsageError(f"{path}: tool.conformance = {table!r} is not a table of settings")
    return {name.replace("-", "_"): value for name, value in table.items()}


class _Appended(argparse.Action):
    """Like `append`, but the command line wins over the setting, which is the default."""

    def __call__(self, parser: argparse.ArgumentParser, namespace: Any, values: Any, _: Any = None) -> None:
        before = getattr(namespace, self.dest)
        setattr(namespace, self.dest, [*([] if before is self.default else before), values])


class Parser(argparse.ArgumentParser):
    """A parser that remembers its flags with their actions, so that they can get defaults from settings."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        self.flags: list[tuple[argparse.Action, str]] = []  # before argparse adds --help
        self.given: list[str] = []  # what is parsed
        super().__init__(*arguments, **options)

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> tuple[Any, list[str]]:
        """Parse; here, where the flags of the verb are known, a word that is none of them is refused."""
        self.given = list(sys.argv[1:] if args is None else args)
        found, further = super().parse_known_args(self.given, namespace)
        if further:
            self.error(f"unrecognized arguments: {' '.join(map(brief, further))}{self._meant(further)}")
        found.typed = frozenset(word.partition("=")[0] for word in self.given if word.startswith("--"))
        return found, further

    def _meant(self, further: Sequence[str]) -> str:
        """What flags may have been meant by those that are none; a positional word has none that is near."""
        known = [name for name in self._option_string_actions if name.startswith("--")]
        wrong = [word.partition("=")[0] for word in further if word.startswith("-")]
        near = [name for word in wrong for name in difflib.get_close_matches(word, known, n=1, cutoff=0.6)]
        if near:
            return f"; did you mean {' and '.join(dict.fromkeys(near))}?"
        return f"; its flags: {self.prog} --help" if wrong else ""

    def _print_message(self, message: str, file: Any = None) -> None:
        """Print; of what a user wants to read a full disk is said, where argparse passes over it."""
        if file is not sys.stdout:
            super()._print_message(message, file)
            return
        print(message, end="", flush=True)

    def error(self, message: str) -> NoReturn:
        """End with the message, or with what may have been meant instead of a word that is no choice."""
        wrong = re.search(r"invalid choice: '([^']*)' \(choose from (.*)\)", message)
        if wrong:
            choices = [word.strip(" '") for word in wrong[2].split(",")]
            near = difflib.get_close_matches(wrong[1], choices, n=3, cutoff=0.5)
            if near:  # a list of all choices would hide it
                said = f"no such choice: {wrong[1]!r}; did you mean {' or '.join(near)}?"
                message = f"{message[: wrong.start()]}{said} All of them: {self.prog} --help"
        elif missing := re.fullmatch(r"argument (\S+): expected (?:one|at least one) argument", message):
            message += self._dashed(missing[1].split("/"))
        super().error(LONG_WORD.sub(lambda found: brief(found[0]), message))

    def _dashed(self, names: Sequence[str]) -> str:
        """What follows a flag that has no value, where it begins like a flag and is none; what the flag says of it as a value."""
        at = next((n for n, word in enumerate(self.given[:-1]) if word in names), -1)
        word = self.given[at + 1] if at >= 0 else ""
        if not word.startswith("-") or word in self._option_string_actions:
            return ""
        kind = self._option_string_actions[names[-1]].type
        try:
            if callable(kind):
                kind(word)
        except (argparse.ArgumentTypeError, ValueError) as error:
            return f"; {error}"
        return f", and {brief(word)!r} begins like a flag; if it is the value: {names[-1]}={brief(word)}"

    def add_argument(self, *names: Any, **options: Any) -> argparse.Action:
        """The argument, as argparse adds it; one that may be given several times does not add to its setting."""
        action = options.get("action", "store")
        if action == "append":
            options["action"] = _Appended
        argument = super().add_argument(*names, **options)
        if argument.option_strings and action not in ("help", "version"):
            self.flags.append((argument, action))
        return argument


def add_workers_flag(parser: argparse.ArgumentParser) -> None:
    """`-n`, of the verbs that start worker processes."""
    parser.add_argument(
        "-n",
        "--workers",
        type=whole_number,
        default=0,
        metavar="N",
        help="worker processes (default: one per core)",
    )


def is_typed(options: argparse.Namespace, flag: str) -> bool:
    """Whether a flag was given on the command line, perhaps abbreviated, and is not a setting for other verbs."""
    return any(flag.startswith(word) for word in options.typed)


def apply(parser: Parser) -> None:
    """Set the defaults of a verb's flags from the project's settings and the environment.

    Raises UsageError, naming the setting, where it does not fit its flag.
    """
    project = _project(Path.cwd())
    for flag, action in parser.flags:
        variable = f"{PREFIX}{flag.dest.upper()}"
        value = os.environ.get(variable, project.get(flag.dest))
        if value is None:
            continue
        try:
            parser.set_defaults(**{flag.dest: _converted(flag, action, value)})
        except UsageError as error:
            place = variable if variable in os.environ else Path.cwd() / "pyproject.toml"
            raise UsageError(f"{error} (in {place})") from None


def hold_names(parsers: Iterable[Parser]) -> None:
    """Raise UsageError for a setting of the project that is a flag of none of these verbs; warn of such a variable."""
    names = {flag.dest for parser in parsers for flag, _ in parser.flags}
    _warn_of_variables({*OTHERS, *(f"{PREFIX}{name.upper()}" for name in names)})
    for name in sorted(_project(Path.cwd()).keys() - names):
        near = difflib.get_close_matches(name, names, n=1, cutoff=0.5)
        hint = f"did you mean {near[0]}?" if near else "the settings are the flags of the verbs"
        raise UsageError(f"pyproject.toml: tool.conformance has no setting {name!r}; {hint}")


def _warn_of_variables(known: set[str]) -> None:
    """Say which variables of ours there are none of: they may be another program's, so that they end nothing."""
    for name in sorted(name for name in os.environ if name.startswith(PREFIX) and name not in known):
        near = difflib.get_close_matches(name, known, n=1, cutoff=0.8)
        hint = f"did you mean {near[0]}?" if near else "the settings are the flags of the verbs"
        print(f"conformance: the environment variable {name} is no setting; {hint}", file=sys.stderr)


def _converted(flag: argparse.Action, action: str, value: Any) -> Any:
    if action == "store_true":
        if str(value).lower() not in SWITCH:
            raise UsageError(f"the setting {flag.dest} = {value!r} is neither true nor false")
        return SWITCH[str(value).lower()]
    if action == "append":
        given = value if isinstance(value, list) else str(value).split(",")
        if not all(isinstance(item, str) for item in given):
            raise UsageError(f"the setting {flag.dest} = {value!r} is not a list of strings")
        return [_kind(flag)(item) for item in given]
    kind = _kind(flag)
    try:
        converted = kind(str(value))
    except argparse.ArgumentTypeError as error:
        raise UsageError(f"the setting {flag.dest}: {error}") from None
    except ValueError:
        raise UsageError(
            f"the setting {flag.dest} = {value!r} is not a {getattr(kind, '__name__', kind)}"
        ) from None
    if flag.choices and converted not in flag.choices:
        raise UsageError(f"the setting {flag.dest} = {value!r} is none of {', '.join(flag.choices)}")
    return converted


def _kind(flag: argparse.Action) -> Callable[[str], Any]:
    return flag.type if callable(flag.type) else str
