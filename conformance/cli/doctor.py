"""doctor: check whether this machine is set up right."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import metadata
from itertools import groupby

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
    """One thing that was looked at: ok, note, none (not installed), or BAD; `part` is machine, package or engine."""

    part: str
    state: str
    name: str
    fact: str


def command(options: argparse.Namespace) -> int:
    """Print what is installed, what is missing and what to do next; 11 where a backend that was named cannot start."""
    from conformance.errors import AdapterError
    from conformance.run.conduct import specs_of

    specs = specs_of(options.backends) if options.backends else []
    engines = list(started(specs) if specs else installed())
    findings = [*machine(), *packages(), *engines]
    if options.as_json:
        print_json(findings)
    else:
        for part, of in groupby(findings, key=lambda finding: finding.part):
            print(part)
            for finding in of:
                print(f"  {finding.state:5} {finding.name:18} {finding.fact}")
        print("\nwhat to do next")
        ready = [
            name
            for name, f in zip(specs or [f.name for f in engines], engines, strict=True)
            if f.state == "ok"
        ]
        for step in next_steps(findings, ready, is_started=bool(specs)):
            print(f"  {step}")
    return AdapterError.exit_code if any(finding.state == "BAD" for finding in findings) else 0


def machine() -> Iterator[Finding]:
    """This machine and this project."""
    import os
    import platform

    import numpy as np

    import conformance

    bits = np.finfo(np.longdouble).nmant + 1
    yield Finding("machine", "ok", "conformance", conformance.__version__)
    yield Finding("machine", "ok", "python", platform.python_version())
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    busy = os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0
    yield Finding(
        "machine", "ok", "system", f"{platform.system()} {platform.machine()}, {cores} cores, load {busy:.1f}"
    )
    if busy > cores / 2:
        said = "the machine is busy: times measured now cannot be trusted"
        yield Finding("machine", "note", "load", said)
    narrow = ": no more than float64, so float64 is judged against itself" if bits <= 53 else ""
    state = "note" if narrow else "ok"
    yield Finding("machine", state, "extended precision", f"{bits} bits{narrow}")


def packages() -> Iterator[Finding]:
    """What this project needs, and what adds to it."""
    from importlib.metadata import PackageNotFoundError, version

    for name in NEEDED:
        try:
            yield Finding("packages", "ok", name, version(name))
        except PackageNotFoundError:
            lacks = "not installed, and nothing runs without it: pip install autograd-conformance"
            yield Finding("packages", "BAD", name, lacks)
    try:
        yield Finding("packages", "ok", "shtab", f"{version('shtab')}, for conformance --completion SHELL")
    except PackageNotFoundError:
        lacks = "not installed, for completion in the shell: pip install 'autograd-conformance[completion]'"
        yield Finding("packages", "none", "shtab", lacks)


def installed() -> Iterator[Finding]:
    """The engines that have an adapter, by their metadata; none is imported."""
    from conformance.load import absence, found_version, install_hint, named, registered

    for name in [*registered(), *sorted(named().keys() - registered().keys())]:
        found = found_version(name)
        if not found:
            yield Finding("engines", "none", name, f"not installed: {install_hint(name)}")
        elif lacking := absence(name):
            yield Finding("engines", "none", name, f"absent: {lacking}")
        else:
            yield Finding("engines", "ok", name, found)


def started(specs: Sequence[str]) -> Iterator[Finding]:
    """The named backends, started in parallel."""
    from conformance.load import install_hint
    from conformance.run.describe import describe_all

    for description in describe_all(list(specs)):
        line = description.line
        if not line.error:
            mode = f" ({line.mode})" if line.mode else ""
            fact = f"{line.engine} {line.version}{mode}, {len(description.ops)} ops, {', '.join(description.dtypes)}"
            yield Finding("engines", "ok", line.name, fact)
        elif "No module named" in line.error:
            yield Finding("engines", "BAD", line.name, f"not installed: {install_hint(line.name)}")
        else:
            yield Finding("engines", "BAD", line.name, line.error)


def next_steps(findings: Sequence[Finding], ready: Sequence[str], *, is_started: bool) -> Iterator[str]:
    """Commands to go on with: mend what is bad, install an engine, start one of those that are `ready`, run its checks."""
    bad = [finding for finding in findings if finding.state == "BAD"]
    for finding in bad:
        yield f"mend {finding.name}: {finding.fact}"
    # The reference engine is always there, in each of its modes, and says nothing about anybody's engine.
    chosen = next((name for name in ready if name.partition(".")[0] != "numpy"), "")
    if chosen and not is_started:
        yield f"see whether an engine starts:  conformance doctor {shlex.quote(chosen)}"
    if chosen:
        yield f"run its checks, with a report: conformance run {shlex.quote(chosen)} --profile quick --html report.html"
    elif not bad:
        yield "install an engine, one of those above"
    yield "check an engine of your own:   conformance new-backend NAME"


def outdated(project: str = "autograd-conformance") -> str:
    """What this project needs and an engine's installation has replaced by an older release; empty where nothing is."""
    from packaging.requirements import Requirement

    try:
        needed = [Requirement(text) for text in metadata.requires(project) or ()]
    except metadata.PackageNotFoundError:  # its folder is on the path
        return ""
    wrong = [
        (each, _version(each.name))
        for each in needed
        if each.marker is None and not each.specifier.contains(_version(each.name) or "0", prereleases=True)
    ]
    if not wrong:
        return ""
    found = ", ".join(f"{each.name} {version or '(missing)'}" for each, version in wrong)
    wanted = " ".join(f"'{each.name}{each.specifier}'" for each, _ in wrong)
    return (
        f"found {found}: another package may have replaced it; pip install {wanted}"
        "; an engine that needs what was found cannot be checked beside this project"
    )


def _version(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return ""
