"""The private names of Hypothesis that are used exist, are still called, and are restored."""

from __future__ import annotations

from unittest import mock

import hypothesis
import pytest
from hypothesis import strategies as st
from hypothesis.internal.conjecture import providers

from conformance.errors import DependencyError
from conformance.strategies import explore
from conformance.strategies.hypothesis_internals import without_local_constants

BROKEN = f"hypothesis {hypothesis.__version__}: its private interface for local constants has changed"


def test_no_constants_of_loaded_modules_are_drawn() -> None:
    planted = 918_273_645
    local = type(providers.GLOBAL_CONSTANTS)()
    local.add(planted)
    with mock.patch.object(providers, "_get_local_constants", return_value=local):
        with mock.patch.object(explore, "without_local_constants", mock.MagicMock()):
            drawn = explore.draw(st.integers(), seed=0, examples=200)
        assert planted in drawn, BROKEN
        assert planted not in explore.draw(st.integers(), seed=0, examples=200), BROKEN


@pytest.mark.parametrize("name", ["_get_local_constants", "CONSTANTS_CACHE", "GLOBAL_CONSTANTS"])
def test_a_missing_name_is_an_error_that_names_hypothesis_and_its_version(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(providers, name)
    with (
        pytest.raises(DependencyError, match=f"hypothesis {hypothesis.__version__} .*{name}"),
        without_local_constants(),
    ):
        pass


def test_hypothesis_is_as_before_afterwards() -> None:
    before = providers._get_local_constants
    with without_local_constants():
        assert providers._get_local_constants is not before
    assert providers._get_local_constants is before
