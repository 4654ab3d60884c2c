"""The atlas: what engines were measured to do where they may differ."""

from __future__ import annotations

from conformance.case import listed
from conformance.checks.point_observation import RAISES, PointObservation, Standing
from conformance.errors import Unsupported
from conformance.runfile.atlas_cell import AtlasCell


def atlas_cell_of(observed: PointObservation, failure: BaseException | None) -> AtlasCell | None:
    """What was found at a special point; None where the backend does not have the op."""
    declared = observed.backend.points.get(observed.point.key, "")
    among = tuple(observed.point.conventions)
    try:
        gradients = [
            None if i not in observed.wrt else listed(observed.gradients[i])
            for i in range(len(observed.place.operands))
        ]
        return AtlasCell(observed.found, observed.standing.value, declared, among, gradients)
    except Unsupported:
        return None
    except Exception:
        return AtlasCell(RAISES, Standing.OPEN.value, declared, among)
