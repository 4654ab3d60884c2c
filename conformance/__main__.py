"""`python -m conformance`: the command line where no script was installed."""

from __future__ import annotations

import os
import sys


def _working_folder() -> str:
    """Where we are; empty where that has been removed, which the command line says."""
    try:
        return os.getcwd()
    except OSError:
        return ""


# Python looks into the working folder first: a file there called random.py would be imported in place of the library's.
if (
    not sys.flags.safe_path
    and os.path.dirname(os.path.dirname(os.path.abspath(__file__))) != _working_folder()
):
    sys.path[:] = [entry for entry in sys.path if entry not in ("", _working_folder())]

try:
    from conformance.cli import main
except KeyboardInterrupt:  # Ctrl-C while it is imported
    sys.stderr.write("conformance: interrupted\n")
    sys.exit(2)

if __name__ == "__main__":  # a process that smoke starts imports this module too
    sys.exit(main())
