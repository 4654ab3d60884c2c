"""Chapter F: cost."""

from __future__ import annotations

from conformance.clauses.clause import Clause

CLAUSES: tuple[Clause, ...] = ()
