"""Hypothesis' private names, which no other module uses: they make draws depend on the seed alone.

Hypothesis takes one draw in twenty from the constants in the source of the modules that are loaded and lie
outside site-packages, adapters among them: two engines would see two sets of cases, and so would a checkout
and an installation. Hypothesis 6.170 has no setting for it, and an alternative backend would draw other cases.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from importlib import import_module
from operator import attrgetter
from unittest import mock

import hypothesis

from conformance.errors import DependencyError


@contextlib.contextmanager
def without_local_constants() -> Iterator[None]:
    """A scope in which Hypothesis draws no constants of loaded modules.

    Raises DependencyError where Hypothesis no longer has the names that are used here.
    """
    names = attrgetter("_get_local_constants", "CONSTANTS_CACHE.cache", "GLOBAL_CONSTANTS")
    try:
        providers = import_module("hypothesis.internal.conjecture.providers")
        _, cache, global_constants = names(providers)
    except (ImportError, AttributeError) as error:
        raise DependencyError("hypothesis", hypothesis.__version__, str(error)) from error
    cache.clear()
    try:
        with mock.patch.object(providers, "_get_local_constants", type(global_constants)):
            yield
    finally:
        cache.clear()  # what others draw in this process is theirs
