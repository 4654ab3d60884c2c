"""Asking: the questions of the suite put to one mutant, until the first check that catches it.

What decides is what decides in a run: an item that fails, or raises in the engine. The checks that catch most come
first, on all cases, and the rest only of what they leave.
"""

from __future__ import annotations

import contextlib
import contextvars
import io
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np

from conformance.backend import Backend
from conformance.checks.comparison import Decisive, decisions
from conformance.checks.registry import FULL, NotThisCase
from conformance.dtype import BFLOAT16
from conformance.errors import ConformanceError, Unsupported, is_ctrl_c
from conformance.op import Trait
from conformance.ops import FAMILIES, with_trait
from conformance.questions import Item, Question, items_of
from conformance.questions.kind import Arguments
from conformance.run.attribution import Origin, origin_of
from conformance.run.verdict import verdict_of
from conformance.runfile.records import Verdict
from conformance.selfcheck.selftest import CAUGHT, SLOW
from conformance.strategies import Effort

NAME = "mutant"  # of every mutant's backend: items are then the same for all
# From many mutants of rules: the part of them that a check catches first, over what it costs.
FIRST = ("op/vjp",)


class Catch(NamedTuple):
    """What caught a mutant: the item, and what it found."""

    item: str
    how: str


Groups = tuple[tuple[Item, ...], ...]


@cache
def groups_of_op(op: str, dtypes: tuple[str, ...]) -> Groups:
    """The items of an op, in the order in which they are asked."""
    items = [
        i for i in items_of(NAME, dtypes) if i.kind.name in ("op", "point") and i.kind.concerns(i, (op,))
    ]
    first = [i for i in items if i.check in FIRST]
    rest = [i for i in items if i.check not in FIRST]
    return (*_grouped(first), *_grouped(rest))


@cache
def groups_of_every_op(dtypes: tuple[str, ...]) -> Groups:
    """The items of the engine that a sample asks of very many ops, whatever is wrong in one of them."""
    return tuple(_grouped(i for i in items_of(NAME, dtypes) if i.definition.is_wide and i.check not in SLOW))


@cache
def groups_of_engine(dtypes: tuple[str, ...]) -> Groups:
    """The items of the engine as a whole, then those of some ops, then the compositions, which take seconds.

    The ops are the first of some families, and some with several operands or outputs: what is around their rules is
    asked about, so one precision of each width is enough.
    """
    items = [i for i in items_of(NAME, dtypes) if i.kind.name not in ("op", "point") and i.check not in SLOW]
    quick = [i for i in items if not i.kind.is_slow]
    slow = [i for i in items if i.kind.is_slow and i.dtype in ("", dtypes[0])]
    firsts = [rows[0].name for rows in FAMILIES.values()][::2]
    saving = [with_trait(trait)[0] for trait in (Trait.SAVES_OPERANDS, Trait.SAVES_OUTPUT)]
    ops = [*firsts, *saving, *with_trait(Trait.SEVERAL_OUTPUTS)[:2], *with_trait(Trait.VARIADIC)[:1]]
    widths = tuple(d for d in dtypes if d in FULL or d == BFLOAT16.name)
    of_ops = [g for op in dict.fromkeys(ops) for g in groups_of_op(op, widths) if g[0].kind.name == "op"]
    return (*_grouped(quick), *of_ops, *_grouped(slow))


def _grouped(items: Iterable[Item]) -> Iterator[tuple[Item, ...]]:
    """In groups that share their questions, in the order in which the groups begin."""
    order: dict[tuple[str, str], list[Item]] = {}
    for item in items:
        order.setdefault(item.group, []).append(item)
    return map(tuple, order.values())


def first_catch(
    backend: Backend,
    groups: Groups,
    seed: int,
    effort: Effort,
    beat: Callable[[], None] = lambda: None,
    on_refusal: Callable[[Item], None] = lambda item: None,
) -> Catch | None:
    """The first item that catches a backend; None where it survives them all.

    `beat` is called before each question, `on_refusal` where the backend refuses what an engine may refuse.
    """
    effort = effort if backend.compiles_signatures else effort.without_compilation()
    asked = partial(_first_catch, backend, groups, seed, effort, beat, on_refusal)
    with (
        np.errstate(all="ignore"),
        warnings.catch_warnings(),
        contextlib.redirect_stdout(io.StringIO()),
        contextlib.redirect_stderr(io.StringIO()),
    ):
        warnings.simplefilter("ignore")
        # In a context of its own, where a scope that is left open ends with the mutant.
        return contextvars.copy_context().run(asked)


def refusals(
    backend: Backend, groups: Groups, seed: int, effort: Effort, beat: Callable[[], None] = lambda: None
) -> Counter[str]:
    """How often a backend refuses what an engine may refuse, by item, until one catches it."""
    refused: Counter[str] = Counter()
    first_catch(backend, groups, seed, effort, beat, lambda item: refused.update([item.id.partition("/")[2]]))
    return refused


def _first_catch(
    backend: Backend,
    groups: Groups,
    seed: int,
    effort: Effort,
    beat: Callable[[], None],
    on_refusal: Callable[[Item], None],
) -> Catch | None:
    for items in groups:
        open_items = {item: 0 for item in items if _is_offered(item, backend)}
        if not open_items:
            continue
        kind = items[0].kind
        for question, takers in kind.rounds(list(open_items), backend, seed, effort):
            arguments = question.on(backend)
            for item in takers:
                if item not in open_items or kind.is_enough(item, question, open_items[item], effort):
                    continue
                beat()
                with decisions() as decided:
                    found = _answer(item, question, arguments, backend)
                if found is Verdict.UNDECIDED:
                    continue
                refused = (found is Verdict.UNSUPPORTED) + decided.count(Decisive.REFUSAL)
                for _ in range(refused):
                    on_refusal(item)
                if found is None:
                    del open_items[item]
                elif found is Verdict.PASS:
                    open_items[item] += 1
                elif found is not Verdict.UNSUPPORTED:
                    return Catch(item.id.partition("/")[2], found.value)
            if not open_items:
                break
    return None


def _answer(item: Item, question: Question[Any], arguments: Arguments, backend: Backend) -> Verdict | None:
    """What comes of one question; None where it fails in a way that says nothing of the mutant: the item is asked no more."""
    try:
        question.run(item.definition, arguments)
    except NotThisCase:
        return Verdict.UNDECIDED
    except Unsupported:
        return Verdict.UNSUPPORTED
    except BaseException as failure:
        if is_ctrl_c(failure):
            raise
        found = _verdict(item, failure, backend)
        return found if found in CAUGHT else None
    return Verdict.PASS


def _verdict(item: Item, failure: BaseException, backend: Backend) -> Verdict:
    """What a failure means, as in a run; but the rules are the engine's own here, and the adapter is known to be right."""
    is_ours = issubclass(type(failure), ConformanceError) or origin_of(failure) is Origin.OURS
    verdict = verdict_of(failure, type(backend)) if is_ours else Verdict.ERROR
    return item.kind.verdict(item.definition, backend, verdict, "")[0]


def _is_offered(item: Item, backend: Backend) -> bool:
    try:
        item.kind.require(item, backend)
    except Unsupported:
        return False
    return True
