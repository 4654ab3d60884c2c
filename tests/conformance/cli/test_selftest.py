"""conformance selftest: which mutants it runs."""

from __future__ import annotations

from typing import Any

import pytest

from conformance.cli import main
from conformance.cli.selftest import _chosen
from conformance.selfcheck.selftest import registered_mutants


def test_the_shards_of_the_mutants_are_all_of_them() -> None:
    shards = [{mutant.name for mutant in _chosen((), f"{part}/3")} for part in (1, 2, 3)]
    assert set.union(*shards) == set(registered_mutants())
    assert sum(map(len, shards)) == len(registered_mutants())
    assert all(shards)


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (["--shard", "4/3"], "expected i/n with 1 <= i <= n"),
        (["--shard", "9/9", "rows-added-in-bfloat16"], "part 9/9 of 1 mutants has none"),
        (["--shard", "1/3", "--power"], "--shard is a part of the mutants"),
        (["--shard", "1/3", "--generated"], "--shard is a part of the mutants"),
    ],
)
def test_a_shard_that_names_no_mutants_is_refused(flags: list[str], said: str, capsys: Any) -> None:
    assert main(["selftest", *flags]) != 0
    assert said in capsys.readouterr().err
