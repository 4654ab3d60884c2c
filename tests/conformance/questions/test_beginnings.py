"""Checks of a few signatures begin at different ones: together they see more of an op than each alone."""

from __future__ import annotations

from statistics import mean

import pytest
from conformance_backends.numpy_backend import NumpyTape

from conformance.case import Case
from conformance.checks import load_all
from conformance.design import Effort
from conformance.ops import CATALOGUE
from conformance.questions.cases import CaseQuestion
from conformance.questions.kind import Item, kind_of

QUICK = Effort(signatures=4, draws=4, samples=4, programs=8, strength=1)
FREE, COMPILED = QUICK.of_engine(compiles=False), QUICK.of_engine(compiles=True)
ORDERS = ("reverse-over-reverse", "forward-over-reverse", "reverse-over-forward", "forward-over-forward")


def first_cases(op: str, effort: Effort, seed: int = 0) -> dict[str, list[Case]]:
    """The cases that each check of an op takes, where every case decides."""
    checks = [
        check for check in load_all().values() if check.kind == "op" and check.asks_about(CATALOGUE[op])
    ]
    items = [Item("numpy", check.key, op, "float64") for check in checks if "float64" in check.dtypes]
    taken: dict[Item, list[Case]] = {item: [] for item in items}
    for question, takers in kind_of(checks[0]).rounds(items, NumpyTape(), seed, effort):
        assert isinstance(question, CaseQuestion)
        for item in takers:
            if not item.kind.is_enough(item, question, len(taken[item]), effort):
                taken[item].append(question.input)
    return {item.definition.name: cases for item, cases in taken.items()}


def signatures(cases: list[Case]) -> set[str]:
    return {f"{[x.shape for x in case.operands]} {case.parameters} {case.wrt}" for case in cases}


@pytest.mark.parametrize("op", ["matmul", "fma", "logsumexp"])
def test_a_check_of_a_few_signatures_takes_as_many_wherever_it_begins(op: str) -> None:
    taken = first_cases(op, FREE)
    assert {len(taken[order]) for order in ORDERS} == {FREE.few}
    assert len(taken["vjp"]) >= FREE.signatures


def test_the_orders_of_an_op_together_see_more_signatures_than_each() -> None:
    ops = [op for op, row in CATALOGUE.items() if not row.is_piecewise_linear][::5]
    seen = [set().union(*(signatures(first_cases(op, FREE)[order]) for order in ORDERS)) for op in ops]
    assert mean(map(len, seen)) > 2.5 * FREE.few


def test_a_signature_that_is_compiled_serves_all_checks() -> None:
    taken = first_cases("matmul", COMPILED)
    assert len({case.token for order in ORDERS for case in taken[order][:1]}) == 1


def test_a_check_of_every_signature_begins_at_the_first() -> None:
    taken = first_cases("matmul", FREE)
    assert [case.token for case in taken["vjp"]] == [
        case.token for case in taken["euler"][: len(taken["vjp"])]
    ]
