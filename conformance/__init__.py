"""The autograd conformance suite: what a gradient engine must do, as data with the machine that checks it."""

__version__ = "0.1.0"


def __getattr__(name: str) -> object:
    """`conformance.check`, which imports what it needs when it is used."""
    if name == "check":
        from conformance.gate.check import check

        return check
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
