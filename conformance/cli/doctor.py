"""doctor: check whether this machine is set up right."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from conformance.cli.console import add_json_flag, print_json

NEEDED = (
    "numpy",
    "ml-dtypes",
    "hypothesis",
    "pytest",
    "pytest-xdist",
    "pytest-benchmark",
    "msgspec",
    "rich",
    "jinja2",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The flags of `doctor`."""
    parser.add_argument(
        "backends",
        nargs="*",
        metavar="BACKEND",
        help="also start these, each in a process of its own; default: only look at what is installed",
    )
    add_json_flag(parser)


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at: ok, none (not installed), or BAD."""

    state: str
    name: str
    fact: str


def command(options: argparse.Namespace) -> int:
    """Print what is installed and what is missing; 11 where a backend that was named cannot start."""

    from conformance.errors import AdapterError
    from conformance.run.conduct import specs_of

    findings = [*machine(), *(started(specs_of(options.backends)) if options.backends else installed())]
    if options.as_json:
        print_json(findings)
    else:
        for finding in findings:
            print(f"  {finding.state:5} {finding.name:18} {finding.fact}")
        if not options.backends:
            print("\nno engine was started; to start one: conformance doctor BACKEND")
    return AdapterError.exit_code if any(finding.state == "BAD" for finding in findings) else 0


def machine() -> Iterator[Finding]:
    """This machine, this project and what it needs."""
    import os
    import platform
    import shutil
    from importlib.metadata import PackageNotFoundError, version

    import numpy as np

    import conformance

    bits = np.finfo(np.longdouble).nmant + 1
    yield Finding("ok", "conformance", conformance.__version__)
    yield Finding("ok", "python", platform.python_version())
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    busy = os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0
    yield Finding("ok", "system", f"{platform.system()} {platform.machine()}, {cores} cores, load {busy:.1f}")
    if busy > cores / 2:
        yield Finding("note", "load", "the machine is busy: times measured now cannot be trusted")
    narrow = ": no more than float64, so float64 is judged against itself" if bits <= 53 else ""
    yield Finding("note" if narrow else "ok", "extended precision", f"{bits} bits{narrow}")
    for name in NEEDED:
        try:
            yield Finding("ok", name, version(name))
        except PackageNotFoundError:
            yield Finding("BAD", name, "not installed, and nothing runs without it")
    browser = shutil.which("chromium")
    yield Finding("ok" if browser else "none", "chromium", browser or "only the tests of the report need it")


def installed() -> Iterator[Finding]:
    """The registered backends by their metadata; none is imported."""
    from conformance.load import engine_version, install_hint, registered

    for name in registered():
        found = engine_version(name)
        yield (
            Finding("ok", name, found)
            if found
            else Finding("none", name, f"not installed: {install_hint(name)}")
        )


def started(specs: Sequence[str]) -> Iterator[Finding]:
    """The named backends, started in parallel."""
    from conformance.load import install_hint
    from conformance.run.describe import describe_all

    for description in describe_all(list(specs)):
        line = description.line
        if not line.error:
            mode = f" ({line.mode})" if line.mode else ""
            fact = f"{line.engine} {line.version}{mode}, {len(description.ops)} ops, {', '.join(description.dtypes)}"
            yield Finding("ok", line.name, fact)
        elif "No module named" in line.error:
            yield Finding("BAD", line.name, f"not installed: {install_hint(line.name)}")
        else:
            yield Finding("BAD", line.name, line.error)
