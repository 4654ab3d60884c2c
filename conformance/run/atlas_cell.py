"""The atlas: what engines were measured to do where they may differ."""

from __future__ import annotations

from conformance.case import listed
from conformance.checks.e_values.special_points import RAISES, Standing, Visit
from conformance.errors import Unsupported
from conformance.runfile.atlas_cell import AtlasCell


def atlas_cell_of(visit: Visit, failure: BaseException | None) -> AtlasCell | None:
    """What was found at a special point; None where the backend does not have the op."""
    declared = visit.backend.points.get(visit.point.key, "")
    among = tuple(visit.point.conventions)
    try:
        gradients = [
            None if i not in visit.wrt else listed(visit.gradients[i])
            for i in range(len(visit.place.operands))
        ]
        return AtlasCell(visit.found, visit.standing.value, declared, among, gradients)
    except Unsupported:
        return None
    except Exception:
        return AtlasCell(RAISES, Standing.OPEN.value, declared, among)
