"""A reading: what an engine was measured to do where engines may differ."""

from __future__ import annotations

from typing import Any

import msgspec


class AtlasCell(msgspec.Struct, frozen=True, omit_defaults=True):
    """A cell of the atlas.

    `found` is the name of a convention, or the numbers where it has none; `standing` says whether that is
    "fair", "unfair", "open" where nothing says what is right, or "artefact" of a composition. `value` has the gradients.
    """

    found: str
    standing: str
    declared: str = ""
    among: tuple[str, ...] = ()
    value: Any = None
