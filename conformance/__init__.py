"""The autograd conformance suite: what a gradient engine must do, as data with the machine that checks it."""

__version__ = "0.1.0"
