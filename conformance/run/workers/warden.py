"""The warden of a worker: the process between pytest and a worker, to which falls whatever the worker leaves behind.

Linux gives orphans to the nearest ancestor that asks for them. pytest must not ask: it runs a repository's own tests,
whose processes are none of ours. So the worker has a parent of its own, which does nothing else, imports no engine, and
ends when the worker does, in the same way, after every descendant of it: also one that has left its group and
session, was forked twice, or has cleared its environment.
"""

from __future__ import annotations

import os
import resource
import signal
import sys

from conformance.run.process import processes

# Ctrl-C is pytest's to answer. SIGTERM is how pytest, or its death, asks for the end.
AWAITED = {signal.SIGCHLD, signal.SIGTERM, signal.SIGINT}


def main() -> None:
    """Start a worker in a child, see it to its end, and end as it did; the arguments are the worker's."""
    processes.end_with_parent(signal.SIGTERM)
    processes.adopt_orphans()
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)  # where it is ignored, children leave no exit code
    signal.pthread_sigmask(signal.SIG_BLOCK, AWAITED)
    worker = os.fork()
    if worker == 0:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, AWAITED)
        from conformance.run.workers.child import main as work

        work()
        return
    os.close(int(sys.argv[1]))  # the channel: with the worker, its end is gone
    code = exit_code(worker)
    processes.end_orphans(())
    end_as(code)


def exit_code(worker: int) -> int:
    """Wait for the worker, and take the exit codes of orphans meanwhile; a negative one is a signal."""
    while True:
        if signal.sigwait(AWAITED) == signal.SIGTERM:
            os.kill(worker, signal.SIGKILL)
        while True:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if pid == worker:
                return os.waitstatus_to_exitcode(status)
            if pid == 0:
                break


def end_as(code: int) -> None:
    """End this process with the exit code of another, or by the same signal, without a core dump of its own."""
    if code >= 0:
        os._exit(code)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.pthread_sigmask(signal.SIG_UNBLOCK, AWAITED)
    if -code != signal.SIGKILL:
        signal.signal(-code, signal.SIG_DFL)
    os.kill(os.getpid(), -code)
    os._exit(1)  # a signal that ends no process ended none


if __name__ == "__main__":
    main()
