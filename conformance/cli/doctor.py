"""doctor: check whether this machine is set up right."""

from __future__ import annotations

import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """`doctor` has no flags of its own."""


def command(options: argparse.Namespace) -> int:
    """Print what is installed and what is missing; 11 where an installed adapter cannot start."""
    import os
    import platform
    from importlib.metadata import version

    import numpy as np

    import conformance
    from conformance.errors import AdapterError
    from conformance.load import registered
    from conformance.run.describe import describe_all

    bits = np.finfo(np.longdouble).nmant + 1
    facts = {
        "conformance": conformance.__version__,
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores",
        "extended": f"{bits} bits"
        + ("" if bits > 53 else ": no more than float64, so float64 is judged against itself"),
    }
    for name in ("numpy", "hypothesis", "pytest", "pytest-xdist", "pytest-benchmark"):
        facts[name] = version(name)
    for name, fact in facts.items():
        print(f"  ok    {name:18} {fact}")
    broken = 0
    for description in describe_all(list(registered())):
        line = description.line
        if not line.error:
            print(
                f"  ok    {line.name:18} {line.engine} {line.version} ({line.mode}), {len(description.ops)} ops"
            )
        elif "No module named" in line.error:
            print(
                f"  none  {line.name:18} not installed: pip install 'autograd-conformance[{line.name.partition('.')[0]}]'"
            )
        else:
            broken += 1
            print(f"  BAD   {line.name:18} {line.error}")
    return AdapterError.exit_code if broken else 0
