"""The fenced blocks of a document, and a folder in which they run as a reader would run them."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Block:
    """One fenced block: what its fence says it is, and its text."""

    kind: str
    text: str

    @property
    def file(self) -> str:
        """The name in a first line `# name.py`, under which the reader is to save it; "" if there is none."""
        found = re.match(r"# (\w+\.py)\n", self.text)
        return found[1] if found else ""

    @property
    def commands(self) -> list[str]:
        return [line[2:] for line in self.text.splitlines() if line.startswith("$ ")]


def blocks(document: Path) -> list[Block]:
    return [Block(*found.groups()) for found in BLOCK.finditer(document.read_text(encoding="utf-8"))]


def python(*arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run Python with warnings as errors, away from this tree."""
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "CONFORMANCE_"))
    }
    command = [sys.executable, "-W", "error", *arguments]
    ended = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=300)
    assert ended.returncode == 0, (
        f"{shlex.join(arguments)} ended with {ended.returncode}\n{ended.stdout}{ended.stderr}"
    )
    return ended


def run_all(document: Path, folder: Path) -> int:
    """Save, run and type what the document shows, in its order; returns how much of it there was."""
    shutil.copytree(ROOT / "examples", folder / "examples")
    done = 0
    for block in blocks(document):
        if block.kind == "python" and block.file:
            (folder / block.file).write_text(block.text, encoding="utf-8")
            done += 1
        elif block.kind == "python":
            python("-c", block.text, folder=folder)
            done += 1
        for command in block.commands if block.kind == "console" else ():
            program, *arguments = shlex.split(command)
            assert program == "conformance", command
            python(
                "-c",
                "import sys; from conformance.cli import main; sys.exit(main())",
                *arguments,
                folder=folder,
            )
            done += 1
    return done
