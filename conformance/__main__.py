"""The command line from its first import on: `conformance`, and `python -m conformance` where no script was installed."""

from __future__ import annotations

import os
import signal
import sys
from types import FrameType


def _working_folder() -> str:
    """Where we are; empty where that has been removed, which the command line says."""
    try:
        return os.getcwd()
    except OSError:
        return ""


# `python -m` looks into the working folder first: a file there called random.py would be imported in place of the library's.
if (
    __name__ != "conformance.__main__"  # as the script imports it
    and not sys.flags.safe_path
    and os.path.dirname(os.path.dirname(os.path.abspath(__file__))) != _working_folder()
):
    sys.path[:] = [entry for entry in sys.path if entry not in ("", _working_folder())]


def _end(number: int, frame: FrameType | None) -> None:
    os.write(2, b"conformance: interrupted\n")
    os._exit(2)


def main() -> int:
    """Run the command line; a signal that would end the process while modules are imported ends it with a line, and 2."""
    defaults = {signal.SIGINT: signal.default_int_handler, signal.SIGTERM: signal.SIG_DFL}
    # What is ignored stays so, and what somebody handles is his.
    before = {number: signal.getsignal(number) for number in defaults}
    ours = [number for number in defaults if before[number] is defaults[number]]
    for number in ours:
        signal.signal(number, _end)
    try:
        from conformance.cli import main as run
    except KeyboardInterrupt:
        _end(signal.SIGINT, None)
    for number in ours:
        signal.signal(number, before[number])
    return run()


if __name__ == "__main__":  # a process that smoke starts imports this module too
    sys.exit(main())
