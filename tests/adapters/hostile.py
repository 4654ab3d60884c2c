"""An adapter whose name, engine and errors try to break terminals and pages."""

from conformance_backends.numpy_backend import NumpyTape

MARKUP = "<script>alert(1)</script> [red]bold[/red] [/nothing] \x1b[2J\x1b]0;owned\x07 \x00 \r overwritten & \ud800 end"


def refuse(x):
    """An op whose only answer is a message full of markup and control characters."""
    raise ValueError(MARKUP)


Hostile = type(
    "<script>",
    (NumpyTape,),
    {"engine": "[red]<b>engine", "mode": "\x1b[31mmode", "ops": {**NumpyTape.ops, "tanh": refuse}},
)
Hostile.__module__ = __name__
