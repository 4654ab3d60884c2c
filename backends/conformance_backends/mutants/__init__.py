"""Engines wrong in exactly one way: the tests of the suite itself."""

from conformance_backends.mutants import wrong_at_times, wrong_graph, wrong_memory, wrong_rules
from conformance_backends.mutants.mutant import Mutant

MUTANTS: tuple[Mutant, ...] = (*wrong_rules.MUTANTS, *wrong_at_times.MUTANTS, *wrong_memory.MUTANTS, *wrong_graph.MUTANTS)

__all__ = ["MUTANTS", "Mutant"]
