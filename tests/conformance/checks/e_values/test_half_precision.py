"""Which types of half precision the samples of a check have."""

from __future__ import annotations

from conformance.checks.e_values.half_precision import type_of
from conformance.checks.members import PARTS
from conformance.checks.sample import Sample


def test_every_part_of_the_catalogue_is_asked_in_every_type() -> None:
    narrow = ("float16", "bfloat16")
    asked = {(seed % PARTS, type_of(Sample(seed, ""), narrow)) for seed in range(2 * PARTS)}
    assert asked == {(part, dtype) for part in range(PARTS) for dtype in narrow}
    assert {type_of(Sample(seed, ""), narrow[1:]) for seed in range(PARTS)} == {"bfloat16"}
