"""In place of calls that an engine refuses others are made, so that a parameter that those alone had is tried."""

from __future__ import annotations

from typing import Any

import pytest
from conformance_backends.numpy_backend import NumpyTape

from conformance.ops import ALL_OPS
from conformance.run.forms import FORMS
from conformance.run.mapped.calls import MOST_REFUSED
from conformance.run.mapped.findings import MappedOp
from conformance.run.mapping import try_mapping

R = NumpyTape.ops
ATTENTION = "scaled_dot_product_attention"


def mapped(name: str, function: Any, *, is_compiled: bool = False, **deadly: str) -> MappedOp:
    """What came of one op of the reference engine, mapped to `function`."""
    backend = NumpyTape()
    backend.ops = {**backend.ops, name: function}  # type: ignore[misc]  # of this object alone
    backend.compiles_signatures = is_compiled  # type: ignore[misc]
    return try_mapping(backend, ALL_OPS[name], "float64", deadly=deadly)


def of_rank_3(q: Any, k: Any, v: Any, is_causal: bool) -> Any:
    """Attention of three axes alone, which is never masked."""
    if q.ndim != 3:
        raise ValueError("attention does not support this rank")
    return R[ATTENTION](q, k, v, is_causal=False)


def masked_of_rank_3(q: Any, k: Any, v: Any, is_causal: bool) -> Any:
    """The same, masked where that is asked for."""
    if q.ndim != 3:
        raise ValueError("attention does not support this rank")
    return R[ATTENTION](q, k, v, is_causal=is_causal)


def refused(*operands: Any, **parameters: Any) -> Any:
    """No call at all."""
    raise ValueError("not of such operands")


def test_a_parameter_of_refused_calls_is_tried_in_others() -> None:
    found = mapped(ATTENTION, of_rank_3)
    assert any("for is_causal=False" in slip.explanation for slip in found.slips), found.slips
    assert found.refused


def test_what_an_engine_refuses_stays_no_slip() -> None:
    found = mapped(ATTENTION, masked_of_rank_3)
    assert not found.slips
    assert len(found.refused) <= MOST_REFUSED + 1
    assert found.calls - len(found.refused) >= FORMS // 2


@pytest.mark.parametrize("is_compiled", [False, True])
def test_where_nothing_is_answered_no_others_are_tried(*, is_compiled: bool) -> None:
    found = mapped(ATTENTION, refused, is_compiled=is_compiled)
    assert found.calls == len(found.refused) <= FORMS


def test_no_call_is_made_twice() -> None:
    made: list[str] = []
    backend = NumpyTape()
    backend.ops = {**backend.ops, ATTENTION: masked_of_rank_3}  # type: ignore[misc]  # of this object alone
    found = try_mapping(backend, ALL_OPS[ATTENTION], "float64", made.append)
    labels = {finding.call for finding in found.refused}
    assert len(labels) == len(found.refused)
