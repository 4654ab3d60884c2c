"""An adapter whose ops harm the process, each in its own way, when they are given an array that is not in C order."""

import ctypes
import faulthandler
import os
import resource
import signal
import subprocess
import sys
import time

from conformance_backends.numpy_backend import NumpyTape

OPS = (
    *(
        "tanh",
        "exp",
        "sin",
        "cos",
        "sinh",
        "cosh",
        "square",
        "negative",
        "sqrt",
        "log",
        "tan",
        "expm1",
        "log1p",
        "arctan",
    ),
    *(
        "arcsinh",
        "sigmoid",
        "softplus",
        "relu",
        "exp2",
        "log2",
        "log10",
        "cbrt",
        "reciprocal",
        "positive",
        "abs",
        "erf",
    ),
    *(
        "silu",
        "gelu",
        "elu",
        "softsign",
        "arcsin",
        "arccos",
        "atan",
        "asinh",
        "asin",
        "acos",
        "atanh",
        "acosh",
    ),
)


def faulty(op, harm):
    """An op that does harm and answers rightly, if it still answers."""

    def harmful(x, *more, **parameters):
        if not x.value.flags.c_contiguous:
            harm()
        return op(x, *more, **parameters)

    return harmful


def engine_of(names):
    """A backend with one harm per op; `harms` says which op has which."""
    available = [op for op in OPS if op in NumpyTape.ops]
    harms = dict(zip(names, available, strict=False))
    assert len(harms) == len(names), "too few ops"
    ops = {op: faulty(NumpyTape.ops[op], HARMS[name]) for name, op in harms.items()}
    return type(
        "Harmful", (NumpyTape,), {"ops": {**NumpyTape.ops, **ops}, "harms": harms, "__module__": __name__}
    )


def fork_and_hold():
    """A child that keeps the worker's pipe open after the worker is dead."""
    if os.fork() == 0:
        time.sleep(600)
    os._exit(3)


def fork_and_detach():
    """A child that leaves the worker's process group."""
    if os.fork() == 0:
        os.setsid()
        time.sleep(600)
    os._exit(3)


def fork_and_return():
    """A copy that is asked again, as the process itself is, ends that process."""
    if copied_from:
        os.kill(copied_from[0], signal.SIGKILL)
    worker = os.getpid()
    if os.fork() == 0:
        copied_from.append(worker)


def detach():
    """A daemon: forked twice, in a session of its own, without a word of its environment, and with no descriptor of it."""
    first = os.fork()
    if first == 0:
        os.setsid()
        if os.fork() == 0:
            os.closerange(0, 256)
            os.execve(sys.executable, [sys.executable, "-c", "import time; time.sleep(600)"], {})
        os._exit(0)
    os.waitpid(first, 0)


def unwatched_hang():
    """A hang that the watchdog in the process does not end."""
    faulthandler.cancel_dump_traceback_later()
    time.sleep(600)


def masked_hang():
    """A hang that lets no signal through."""
    signal.pthread_sigmask(signal.SIG_BLOCK, set(signal.valid_signals()))
    faulthandler.cancel_dump_traceback_later()
    time.sleep(600)


def close_all():
    """Every descriptor is closed, the worker's pipe included."""
    os.closerange(0, 256)


def leave_children():
    """Children that nobody waits for."""
    for _ in range(3):
        subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])


def deep_recursion():
    """The C stack overflows."""
    sys.setrecursionlimit(10**9)
    again = ctypes.CFUNCTYPE(None)(lambda: again())
    again()


def ending(number):
    """A signal that the process sends itself."""
    return lambda: os.kill(os.getpid(), number)


copied_from: list[int] = []

HARMS = {
    "Exits0": lambda: os._exit(0),
    "Exits1": lambda: os._exit(1),
    "Aborts": os.abort,
    "Segfaults": lambda: ctypes.string_at(0),
    "Sigbus": ending(signal.SIGBUS),
    "Sigfpe": ending(signal.SIGFPE),
    "Sigill": ending(signal.SIGILL),
    "Sigkill": ending(signal.SIGKILL),
    "Sigterm": ending(signal.SIGTERM),
    "Sighup": ending(signal.SIGHUP),
    "Sigusr1": ending(signal.SIGUSR1),
    "Sigalrm": ending(signal.SIGALRM),
    "Sigquit": ending(signal.SIGQUIT),
    "Sigint": ending(signal.SIGINT),
    "ForksAndHolds": fork_and_hold,
    "ForksAndDetaches": fork_and_detach,
    "ForksAndReturns": fork_and_return,
    "ClosesAll": close_all,
    "LeavesChildren": leave_children,
    "Detaches": detach,
    "Overflows": deep_recursion,
    "Descriptors": lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (3, 3)),
    "Prints": lambda: os.write(1, b"x" * 5_000_000),
    "PrintsErrors": lambda: os.write(2, b"x" * 5_000_000),
    "Stops": ending(signal.SIGSTOP),
    "Hangs": lambda: time.sleep(600),
    "HangsInC": lambda: ctypes.PyDLL(None).pause(),
    "HangsUnwatched": unwatched_hang,
    "HangsMasked": masked_hang,
    "Loops": lambda: exec("while True: pass"),
}
SAMPLE = (
    "Exits0",
    "Segfaults",
    "Sigkill",
    "ForksAndHolds",
    "ForksAndReturns",
    "LeavesChildren",
    "Detaches",
    "Prints",
    "Stops",
    "HangsMasked",
)

All = engine_of(tuple(HARMS))
Sample = engine_of(SAMPLE)
