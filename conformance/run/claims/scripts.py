"""Whether the calls that an adapter's dialect writes are calls that its engine takes."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from conformance.backend import Backend, TapeBackend
from conformance.errors import Violation
from conformance.load import start_timeout
from conformance.ops import ALL_OPS
from conformance.scripts.helpers import undefined_in
from conformance.scripts.script import script_of

MOST_NAMED = 5
# The templates without which no gradient can be written.
OF_A_TAPE = ("leaf", "backward", "backward_with", "grad")
OF_FUNCTIONS = ("pullback", "gradient")


def run_scripts(backend: Backend, claims: Sequence[Callable[[Any], None]]) -> None:
    """The scripts of claims that hold run as plain Python, all in one process: to import an engine takes seconds."""
    needed = OF_A_TAPE if isinstance(backend, TapeBackend) else OF_FUNCTIONS
    if lacking := [name for name in needed if not getattr(backend.dialect, name, "")]:
        raise Violation(f"`dialect` writes nothing where scripts need {', '.join(lacking)}")
    text = "\n\n".join(script_of(backend, claim, None) for claim in claims)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "script.py")
        file.write_text(text, encoding="utf-8")
        said = _what_ends(file)
    if said:
        raise Violation(f"a script ends with {said}")


def _what_ends(file: Path) -> str:
    """The exception that ends a script, with the line that raised it, or that it has no end; empty where it ends by itself."""
    paths = {**os.environ, "PYTHONPATH": os.pathsep.join(map(os.path.abspath, sys.path))}
    try:
        ran = subprocess.run(
            [sys.executable, "-P", "-W", "ignore", str(file)],
            env=paths,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=start_timeout(),
            check=False,
        )
    except subprocess.TimeoutExpired as late:
        return f"no answer within {late.timeout:g} s"
    if ran.returncode == 0:
        return ""
    words = ran.stderr.decode(errors="replace").splitlines() or [f"exit code {ran.returncode}"]
    places = [n for n, word in enumerate(words[:-1]) if f'"{file}"' in word]
    return words[-1] + (f", in: {words[places[-1] + 1].strip()}" if places else "")


def hold_names(backend: Backend) -> None:
    """A script of a call of each op names what it defines alone, as far as its text shows."""
    missing: dict[str, list[str]] = {}
    for op in backend.ops:
        if op in ALL_OPS:
            for name in undefined_in(backend, op):
                missing.setdefault("" if name == op else name, []).append(op)
    said = [f"{name} in {_few(ops)}" for name, ops in missing.items() if name]
    if unspelled := missing.get(""):
        said.append(f"{_few(unspelled)}, which no dictionary of the adapter's source spells")
    if said:
        raise Violation(f"scripts do not define what they name: {_few(said)}")


def _few(names: Sequence[str]) -> str:
    more = len(names) - MOST_NAMED
    return ", ".join(names[:MOST_NAMED]) + (f" and {more} more" if more > 0 else "")
