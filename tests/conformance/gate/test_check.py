"""Checks are run from Python, and the result shows itself."""

from __future__ import annotations

from pathlib import Path

import pytest

import conformance
from conformance.errors import NothingSelected


@pytest.mark.costly
def test_a_result_is_readable_as_text_and_as_html(adapters: Path) -> None:
    done = conformance.check(str(adapters / "wrong_tanh.py"), "op/tanh/vjp/float64")
    assert not done
    assert done.exit_code == 1
    assert "tanh · the gradient of operand 0 differs from the reference VJP" in repr(done)
    assert done._repr_html_().startswith("<pre>1 fail")
    (failure,) = done.failures
    assert failure.subject == "tanh"


def test_a_query_that_matches_nothing_is_an_error() -> None:
    with pytest.raises(NothingSelected):
        conformance.check("numpy", "op/tahn")
