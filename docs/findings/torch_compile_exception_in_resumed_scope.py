"""torch: torch.compile raises an AssertionError of its own where an exception of a user's class leaves an inner no_grad scope."""

import torch


class IntendedError(Exception):
    """An exception that is made by Python code."""

    def __init__(self):
        super().__init__("intended")


def squares(x, error):
    """(x x) (x x) x, of which the last factor alone has a gradient."""
    with torch.no_grad():
        torch._dynamo.graph_break()
        first = x * x
        try:
            with torch.no_grad():
                raise error
        except error:
            second = x * x
    return first * second * x


x = torch.tensor([2.0], requires_grad=True)
for name, function in (("as it is", squares), ("compiled", torch.compile(squares, backend="eager"))):
    for error in (KeyError, IntendedError):
        try:
            print(f"{name}, {error.__name__}: {function(x, error).item()}, expected 32.0")
        except Exception as raised:
            print(f"{name}, {error.__name__}: {type(raised).__name__}: {str(raised).splitlines()[0]}")
