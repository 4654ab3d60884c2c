"""The checks: one function per claim, a package per chapter of the standard, a module per subject."""

from __future__ import annotations

import pkgutil
from functools import cache
from importlib import import_module

from conformance.checks.registry import CHECKS, Check

__all__ = ["CHECKS", "Check", "load_all"]


@cache
def load_all() -> dict[str, Check]:
    """Every check by its key; importing the modules of the chapters registers them."""
    for module in pkgutil.walk_packages(__path__, f"{__name__}."):
        import_module(module.name)
    return CHECKS
