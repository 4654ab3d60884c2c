"""Engines wrong in exactly one way: the tests of the suite itself.

A mutant stands in the module with the path of the module of a check that must catch it.
"""

import pkgutil
from importlib import import_module

from conformance_backends.mutants.controls import controls
from conformance_backends.mutants.mutant import Mutant

MODULES = [import_module(module.name) for module in pkgutil.walk_packages(__path__, f"{__name__}.")]
_WRONG: tuple[Mutant, ...] = tuple(mutant for module in MODULES for mutant in getattr(module, "MUTANTS", ()))

MUTANTS: tuple[Mutant, ...] = (*controls({op for mutant in _WRONG for op in mutant.ops}), *_WRONG)

__all__ = ["MODULES", "MUTANTS", "Mutant"]
