"""What the specification says about the names in a run: sentences, rules, families.

A run file names clauses and ops; the words for them are those of the specification installed where the
report is made. What it does not know is left out, never guessed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from importlib import import_module
from typing import Any


def specification() -> dict[str, Any]:
    """Families, ops, clauses, chapters and what each check claims, as plain data for the page."""
    ops = import_module("conformance.ops")
    checks = import_module("conformance.checks")
    clauses = import_module("conformance.clauses")
    chapters = import_module("conformance.clauses.clause")
    return {
        "families": {name: _names(members) for name, members in getattr(ops, "FAMILIES", {}).items()},
        "ops": {name: _op(op) for name, op in getattr(ops, "ALL_OPS", {}).items()},
        "clauses": {name: _clause(clause) for name, clause in getattr(clauses, "STANDARD", {}).items()},
        "chapters": {str(key): str(title) for key, title in getattr(chapters, "CHAPTERS", {}).items()},
        "claims": {key: check.claim for key, check in getattr(checks, "load_all", dict)().items()},
    }


def _names(members: Any) -> list[str]:
    """The ops of a family, which is a mapping by name or a sequence of ops or of names."""
    listed: Iterable[Any] = members.keys() if isinstance(members, Mapping) else members
    return [member if isinstance(member, str) else member.name for member in listed]


def _op(op: Any) -> dict[str, str]:
    return {"formula": op.formula, "source": op.source}


def _clause(clause: Any) -> dict[str, Any]:
    level = getattr(clause.level, "value", clause.level)
    conventions = list(getattr(clause, "conventions", ()))
    return {
        "sentence": clause.sentence,
        "reason": clause.reason,
        "level": str(level),
        "conventions": conventions,
    }
