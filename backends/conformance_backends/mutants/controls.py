"""The controls: engines that no check may catch."""

from collections.abc import Iterable

from conformance_backends.mutants.b_graph.call_histories import Pullbacks
from conformance_backends.mutants.mutant import Mutant, WithTransforms

CORRECT = "Nothing is wrong: no check may catch it."


def controls(ops: Iterable[str]) -> tuple[Mutant, ...]:
    """The reference engine in overridable steps, checked at `ops`, and in pullback form."""
    return (
        Mutant("control", CORRECT, (), WithTransforms, tuple(sorted(ops))),
        Mutant("control-pullbacks", f"{CORRECT[:-1]}, in pullback form.", (), Pullbacks, ("multiply",)),
    )
