"""Every law has an axis of one entry first and last, and all at once, but where a result of it says nothing.

What squeezes, or takes a single entry for a number, errs there alone.
"""

from __future__ import annotations

import pytest

from conformance.design.rows import rows_of
from conformance.op import Op, Shape, Trait
from conformance.ops import ALL_OPS

SEVERAL = {
    "a matrix for each image, of as many columns as a volume has axes and one": {"affine_grid"},
    "a column's condition is 1 whatever it is": {"cond"},
    "one observation has no deviation": {"corrcoef", "cov"},
    "one entry deviates by nothing": {"layer_norm", "standardize"},
    "an angle of vectors of one entry has no slope": {"cosine_embedding"},
    "one class has no other": {"ctc", "ctc_with_logits", "multi_margin", "multilabel_margin"},
    "frames are longer": {"stft"},
    "an equation alone has no neighbours": {"tridiagonal_solve"},
}
FLAT = {"ediff1d"}  # its operand is flat, of whatever shape


def _shapes(op: Op) -> set[Shape]:
    """The shapes of the first operand, with entries and more axes than one."""
    firsts = {row.signature.shapes[0] for row in rows_of(op) if row.signature.shapes}
    return {shape for shape in firsts if len(shape) > 1 and 0 not in shape}


@pytest.mark.parametrize(("place", "word"), [(0, "first"), (-1, "last")])
def test_an_axis_of_one_entry_stands_at_each_end(place: int, word: str) -> None:
    lacking = {
        name
        for name, op in ALL_OPS.items()
        if (shapes := _shapes(op)) and all(shape[place] > 1 for shape in shapes)
    }
    assert lacking - set().union(*SEVERAL.values()) - FLAT == set(), f"no axis of one entry is the {word}"


def test_each_exception_is_one() -> None:
    named = set().union(*SEVERAL.values())
    assert {name for name in named if all(shape[-1] > 1 for shape in _shapes(ALL_OPS[name]))} == named


def test_what_is_elementwise_is_asked_of_one_entry_of_several_axes() -> None:
    elementwise = {name: op for name, op in ALL_OPS.items() if Trait.ELEMENTWISE in op.traits}
    assert elementwise
    assert [name for name, op in elementwise.items() if (1, 1) not in _shapes(op)] == []
