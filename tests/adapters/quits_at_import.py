"""An adapter that raises SystemExit while it is imported."""

import sys

sys.exit("no licence for this engine")
