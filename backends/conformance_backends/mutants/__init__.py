"""Engines wrong in exactly one way: the tests of the suite itself."""

from conformance_backends.mutants import (
    wrong_at_times,
    wrong_costs,
    wrong_flat,
    wrong_graph,
    wrong_histories,
    wrong_kinds,
    wrong_laws,
    wrong_lives,
    wrong_magnitudes,
    wrong_memory,
    wrong_modes,
    wrong_neighbours,
    wrong_offers,
    wrong_orders,
    wrong_places,
    wrong_points,
    wrong_precisions,
    wrong_promises,
    wrong_refusals,
    wrong_rules,
    wrong_runs,
    wrong_seeds,
    wrong_watching,
    wrong_ways,
    wrong_writes,
)
from conformance_backends.mutants.mutant import Mutant, control

_TABLES = (
    wrong_rules, wrong_at_times, wrong_precisions, wrong_magnitudes, wrong_neighbours, wrong_memory, wrong_places, wrong_seeds, wrong_graph, wrong_histories,
    wrong_modes, wrong_ways, wrong_runs, wrong_watching, wrong_writes, wrong_laws, wrong_promises,
    wrong_points,
    wrong_offers,
    wrong_kinds, wrong_lives, wrong_refusals, wrong_orders, wrong_costs, wrong_flat,
)  # fmt: skip
_WRONG: tuple[Mutant, ...] = tuple(mutant for table in _TABLES for mutant in table.MUTANTS)
_OPS = tuple(sorted({op for mutant in _WRONG for op in mutant.ops}))

MUTANTS: tuple[Mutant, ...] = (control(_OPS), wrong_histories.CONTROL, *_WRONG)

__all__ = ["MUTANTS", "Mutant"]
