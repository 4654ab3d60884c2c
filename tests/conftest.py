"""Which tests of every op, and which of those that take long, are run where one commit runs a part of them."""

from __future__ import annotations

import os
import zlib
from collections import Counter

import pytest
from hypothesis import settings

from conformance.op import Op
from conformance.ops import ALL_OPS

settings.register_profile("here", deadline=None, derandomize=True)  # tests assert no time
settings.load_profile("here")

MANY = 40  # ops that a test is run on: it proves something of every op, or of all that an engine has
SHARES = 5  # of what starts processes, or takes tens of seconds, one is run


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Where CONFORMANCE_PART is set, such as "--shard 1/3", what is proven of every op is proven of that part of the ops.

    Of the tests that are marked as costly a fifth is run, and of those that have parameters a fifth of these.
    """
    part, _, count = os.environ.get("CONFORMANCE_PART", "").removeprefix("--shard ").partition("/")
    if not count:
        return
    ops = {item: op for item in items if (op := _op_of(item))}
    tested = Counter(map(_test_of, ops))
    left_out = {
        item
        for item, op in ops.items()
        if tested[_test_of(item)] >= MANY and zlib.crc32(op.encode()) % int(count) != int(part) - 1
    }
    left_out |= {
        item
        for item in items
        if item.get_closest_marker("costly")
        and zlib.crc32(item.nodeid.encode()) % SHARES != int(part) % SHARES
    }
    config.hook.pytest_deselected(items=list(left_out))
    items[:] = [item for item in items if item not in left_out]


def _op_of(item: pytest.Item) -> str:
    """The op that a test is run on; empty where there is none."""
    values = item.callspec.params.values() if hasattr(item, "callspec") else ()
    names = (value.name if isinstance(value, Op) else value for value in values)
    return next((name for name in names if isinstance(name, str) and name in ALL_OPS), "")


def _test_of(item: pytest.Item) -> str:
    """The test, without what it is run on."""
    return item.nodeid.partition("[")[0]
