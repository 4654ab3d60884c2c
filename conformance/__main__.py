"""`python -m conformance`: the command line where no script was installed."""

from __future__ import annotations

import sys

from conformance.cli import main

if __name__ == "__main__":  # a process that smoke starts imports this module too
    sys.exit(main())
