"""Queries: which ids they match, and what one that matches none may have meant."""

from __future__ import annotations

import difflib
import fnmatch
import re
import shlex
from collections.abc import Iterator, Sequence
from functools import cache

from conformance.errors import brief
from conformance.questions.kind import Item, kind_of

NAMED = 5  # queries that match nothing and have a sentence each: what was meant takes a tenth of a second

# What checks of an op are called elsewhere.
SAME = {
    **dict.fromkeys(("jvp", "jacfwd", "tangent", "pushforward", "forward-mode"), "forward"),
    **dict.fromkeys(("grad", "gradient", "gradients", "backward", "jacrev", "pullback", "gradcheck"), "vjp"),
    **dict.fromkeys(
        ("hessian", "hvp", "second-order", "gradgradcheck", "double-backward"), "reverse-over-reverse"
    ),
    **dict.fromkeys(("vmap", "batched", "vectorized"), "mapped"),
    **dict.fromkeys(("jit", "compile"), "compiled"),
    **dict.fromkeys(("checkpoint", "remat"), "checkpointed"),
    **dict.fromkeys(("primal", "output", "values"), "value"),
}


def matches(identifier: str, query: str) -> bool:
    """Whether a query selects an id.

    A query is an id, or a beginning of one at a slash, with `*` for anything; the backend may be left out.
    """
    return _pattern(query).match(identifier) is not None


@cache
def _pattern(query: str) -> re.Pattern[str]:
    """What matches the ids that a query selects: a plan is tens of thousands of them."""
    whole, below = (fnmatch.translate(text) for text in (query, query.rstrip("/") + "/*"))
    return re.compile(f"(?:[^/]*/)?(?:{whole}|{below})")


def sentences(unmatched: Sequence[str], items: Sequence[Item]) -> Iterator[str]:
    """What is said of queries that match none of the items: what the first may have meant, and how many more there are."""
    for query in unmatched[:NAMED]:
        yield f"the query {brief(query)!r} matches nothing; {_hint(query, items)}"
    more = len(unmatched) - NAMED
    if more > 0:
        yield f"and {more} more {'queries match' if more > 1 else 'query matches'} nothing"


def _hint(query: str, items: Sequence[Item]) -> str:
    """What a query that matches nothing may have meant: the same of another kind, or what is spelled alike."""
    if (stripped := query.strip("/")) != query and any(matches(item.id, stripped) for item in items):
        return f"leave out the slash: -q {shlex.quote(stripped)}"
    if definition := next((item.definition for item in items if item.check == stripped), None):
        return f"that is a check, and is asked by -q {shlex.quote(kind_of(definition).query(definition))}"
    kind, _, rest = stripped.partition("/")
    checks = {item.check: item.definition for item in items if item.definition.clause == rest}
    if of_ops := sorted(f"-q 'op/*/{check.name}'" for check in checks.values() if check.kind == "op"):
        return f"{rest} is checked op by op: {' '.join(of_ops)}"
    depth = stripped.count("/") + 1
    ids = {item.id.partition("/")[2] for item in items} | {item.id for item in items}
    named = {"/".join(parts[:depth]) for parts in (text.split("/") for text in ids) if len(parts) >= depth}
    alike = sorted(name for name in named if rest and name.partition("/")[2] == rest)
    if alike:
        return f"there is no {kind}/{rest}, but there is {' and '.join(alike)}"
    start, _, last = stripped.rpartition("/")
    if (name := f"{start}/{SAME.get(last.lower(), '')}") in named:
        return f"did you mean {name}?"
    if (
        kind == "contract"
        and re.fullmatch("[A-Z]", rest)
        and any(matches(item.id, f"{query}*") for item in items)
    ):
        return f"a whole chapter is -q '{query}*'"
    if close := difflib.get_close_matches(query, named, n=3, cutoff=0.75):
        return f"did you mean {' or '.join(close)}?"
    return "ids look like numpy/op/matmul/vjp/float64 or contract/B1, see: conformance list checks"
