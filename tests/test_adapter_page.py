"""docs/adapter.md names every member of the protocol."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path

import pytest

from conformance.backend import Backend, Capability, Dialect, FunctionalBackend, TapeBackend

PAGE = (Path(__file__).parents[1] / "docs" / "adapter.md").read_text(encoding="utf-8")
CODE = "\n".join(re.findall(r"`([^`\n]+)`", PAGE))
MEMBERS = sorted(
    {
        name
        for face in (Backend, TapeBackend, FunctionalBackend)
        for name in (*vars(face), *face.__annotations__)
        if not name.startswith("_")
    }
)


@pytest.mark.parametrize("name", MEMBERS)
def test_a_member_of_the_protocol_is_documented(name: str) -> None:
    assert re.search(rf"\b{name}\b", CODE)


@pytest.mark.parametrize("name", [field.name for field in dataclasses.fields(Dialect)])
def test_a_field_of_the_dialect_is_documented(name: str) -> None:
    table = CODE[CODE.index("Dialect\n") :]
    assert re.search(rf"^{name}$", table, re.MULTILINE)


@pytest.mark.parametrize("name", ["prepare_gradient", "prepare_forward"])
def test_an_optional_method_of_timing_is_documented(name: str) -> None:
    assert name in CODE


@pytest.mark.parametrize("capability", Capability)
def test_a_capability_is_documented(capability: Capability) -> None:
    assert re.search(rf"^{capability.name}$", CODE, re.MULTILINE)
