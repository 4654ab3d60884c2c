"""Errors in the source of the reference engine that change nothing that a caller can see, found by reading."""

from collections.abc import Mapping

# By what changes, as a mutant says it: where the source changes, the entry fits no mutant and is to be judged again.
EQUIVALENT: Mapping[str, str] = {}
