"""Chapter F: cost."""

from __future__ import annotations

from conformance.clauses.clause import Clause, Level

SHOULD, REPORTED = Level.SHOULD, Level.REPORTED

CLAUSES = (
    Clause("F1", REPORTED, "How long a gradient takes beside its forward pass is reported; the classical bound is about five.",
           "The promise of reverse mode is a gradient at the price of a few evaluations, however many operands there are."),
    Clause("F2", REPORTED, "How much memory a gradient takes at its peak beside its forward pass is reported.",
           "Memory, not time, decides the largest batch."),
    Clause("F3", SHOULD, "The work of a gradient is linear in depth, in width and in fan-out: every rule is applied once.",
           "A walk that revisits nodes is fast on the examples and never ends on the model."),
    Clause("F4", REPORTED, "How often a function is called for one gradient is reported.",
           "A function with a side effect, or a costly one, is paid for as often as it is called."),
    Clause("F5", SHOULD, "A gradient prints nothing and warns of nothing.",
           "A warning in every step of a training run buries the one that matters."),
    Clause("F6", REPORTED, "The first gradient of a function is reported apart from the later ones.",
           "Compilation and warming up are paid once; a benchmark that mixes them in says nothing about either."),
)  # fmt: skip
