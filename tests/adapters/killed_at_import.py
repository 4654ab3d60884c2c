"""An adapter whose process the system ends, as it does where memory is short."""

import os
import signal

os.kill(os.getpid(), signal.SIGKILL)
