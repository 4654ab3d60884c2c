"""A badge as JSON, for shields.io: it draws `https://img.shields.io/endpoint?url=…` from a file of this form.

The form: https://shields.io/badges/endpoint-badge
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from conformance.runfile.jsonl import Run
from conformance_reports.badge import SHIELDS, badge_of

SUFFIXES = (".badge.json",)


def render(runs: Sequence[Run]) -> str:
    """The label, the message and the colour."""
    badge = badge_of(runs)
    document = {
        "schemaVersion": 1,
        "label": badge.label,
        "message": badge.message,
        "color": SHIELDS[badge.colour],
        "isError": badge.colour == "red",
    }
    return json.dumps(document) + "\n"
