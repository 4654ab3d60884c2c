"""The design of generation: which calls of an op are asked, so that no level of a factor is left out."""

from conformance.design.effort import Effort
from conformance.design.rows import Row
from conformance.design.signatures import count_of_ready, signatures_of

__all__ = ["Effort", "Row", "count_of_ready", "signatures_of"]
