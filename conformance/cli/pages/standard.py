"""The standard as one page, in Markdown or HTML: what `explain standard -o FILE` writes."""

from __future__ import annotations

import html
import inspect
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from conformance.checks import Check
    from conformance.clauses import Clause
    from conformance.selfcheck.selftest import Mutant

COMMAND = "conformance explain standard -o docs/standard.md"
INTRODUCTION = (
    "What an engine that differentiates programs can be held to. A clause is one sentence; its level says how "
    "binding it is, its reason who is hurt where it does not hold. Where good engines differ, a clause names the "
    "conventions: an engine declares its own, and is held to that.",
    "Every clause is tested by checks, and every check must catch engines that are wrong on purpose. "
    "Both are named here by the ids that the command line takes: `conformance run -q ID`, `conformance explain ID`.",
)


@dataclass(frozen=True)
class Block:
    """One paragraph, heading or item; inline code stands between backticks, a link as [text](target)."""

    tag: str  # h1, h2, h3, p or li
    text: str
    anchor: str = ""


# ---- what the page says ------------------------------------------------------------------------------


def blocks() -> Iterator[Block]:
    """The page, chapter by chapter."""
    from conformance.clauses import STANDARD
    from conformance.clauses.clause import CHAPTERS
    from conformance.selfcheck.selftest import registered_mutants

    mutants = list(registered_mutants().values())
    yield Block("h1", "The standard")
    yield from (Block("p", text) for text in INTRODUCTION)
    yield Block("p", f"This page is written by `{COMMAND}`.")
    for letter, title in CHAPTERS.items():
        clauses = [clause for clause in STANDARD.values() if clause.chapter == letter]
        if clauses:
            yield Block("h2", f"{letter}. {title}", letter.lower())
        for clause in clauses:
            yield from _clause(clause, mutants)


def _clause(clause: Clause, mutants: list[Mutant]) -> Iterator[Block]:
    from conformance.checks import load_all
    from conformance.clauses.clause import Level

    yield Block("h3", f"{clause.number} · {clause.level.value}", clause.number.lower())
    yield Block("p", clause.sentence)
    yield Block("p", f"{'What it teaches' if clause.level is Level.SHOWN else 'Why'}: {clause.reason}")
    if clause.conventions:
        yield Block("p", f"Conventions: {', '.join(f'`{choice}`' for choice in clause.conventions)}.")
    for _, check in sorted(load_all().items()):  # registered in the order of imports, which means nothing
        if check.clause == clause.number:
            yield Block("li", _check(check, mutants))
            if clause.level is Level.SHOWN:
                yield from _worked(check)


def _check(check: Check, mutants: list[Mutant]) -> str:
    """A check: its id, its claim, where it is written, what it needs, what it catches."""
    module = check.function.__module__.replace(".", "/") + ".py"
    text = f"[`{check.key}`](../{module}) {check.claim}."
    if check.needs:
        text += f" Needs {', '.join(sorted(need.label for need in check.needs))}."
    caught = [mutant.name for mutant in mutants if check.key in mutant.kills]
    return text + (f" Catches {', '.join(f'`{name}`' for name in caught)}." if caught else "")


def _worked(check: Check) -> Iterator[Block]:
    """The rest of a worked example's docstring, then the values it is run with."""
    _, _, rest = (inspect.getdoc(check.function) or "").partition("\n\n")
    for paragraph in filter(None, rest.split("\n\n")):
        yield Block("p", " ".join(paragraph.split()))
    values = WORKED.get(check.key)
    if values:
        yield Block("p", values)


WORKED = {
    "example/W1/matmul-upstream": "With `x = ones(2, 3)`, `a = ones(3, 4)` and upstream `[[1, 2, 3, 4], [5, 6, 7, 8]]`, "
    "x receives `[[10, 10, 10], [26, 26, 26]]` and every row of a's gradient is `[6, 8, 10, 12]`.",
    "example/W2/square-upstream": "With `a = [[1, 2, 3], [4, 5, 6]]`, upstream a gives `[[2, 8, 18], [32, 50, 72]]`; ones, "
    "and the six one-hot upstreams together, give `[[2, 4, 6], [8, 10, 12]]`.",
    "example/W3/graph-of-two-steps": "With `a = 2`, `b = 3`, `d = 4`: `e = 20`, and the gradients of a, b, d are `4`, `4`, `5`.",
    "example/W4/custom-linear": "For one row, `x = [1, 2, 3]`, `weight = [[1, 0, 1], [0, 1, 1]]` and upstream `[1, 2]`: input "
    "receives `[1, 2, 3]`, weight `[[1, 2, 3], [2, 4, 6]]`, bias `[1, 2]`.",
    "example/W5/two-layers": "For one example with `x = 2`, `w1 = 3`, `b1 = 1`, `w2 = 2`, `b2 = 1`, target `10`: the hidden value "
    "is `7`, the output `15`, and mse `25`; b2 receives `10`, w2 `70`, b1 `20`, w1 `40`, x `60`.",
    "example/W6/chain-rule": "At `x = 0` the gradient of sin is `1`, with upstream `2` it is `2`, and that of sin(3x) is `3`.",
    "example/W7/batch-reductions": "Over batches of 1, 2, 7 and 64 the bias's gradient under sum is `1`, `2`, `7`, `64` in both "
    "entries; under mean it is `0.5` for each, whatever the batch's size.",
    "example/W8/fan-out": "At `x = 1`: `y = 2`, `z = 4`, and x receives `2 · 2 · 3 = 12`.",
    "example/W8/twice-and-cleared": "At `x = 3` with upstream `1`, `x * x` gives `6`; again without clearing `12`, where "
    "accumulating is the declared convention; after clearing `6`.",
}


# ---- how it is written -------------------------------------------------------------------------------


def as_markdown(page: Iterable[Block]) -> str:
    """The page in Markdown."""
    marks = {"h1": "# ", "h2": "## ", "h3": "### ", "li": "- "}
    lines: list[str] = []
    for block in page:
        anchor = f'<a id="{block.anchor}"></a>\n\n' if block.anchor else ""
        lines.append(f"{anchor}{marks.get(block.tag, '')}{block.text}")
    return "\n\n".join(lines) + "\n"


STYLE = (
    "body{font:16px/1.5 system-ui,sans-serif;max-width:48rem;margin:2rem auto;padding:0 1rem}"
    "h3{margin-bottom:0}code{font-size:.9em}@media(prefers-color-scheme:dark){body{background:#111;color:#ddd}a{color:#8bf}}"
)


def as_html(page: Iterable[Block]) -> str:
    """The page in HTML, complete in itself."""
    parts: list[str] = []
    is_listing = False
    for block in page:
        if (block.tag == "li") is not is_listing:
            parts.append("</ul>" if is_listing else "<ul>")
            is_listing = not is_listing
        anchor = f' id="{block.anchor}"' if block.anchor else ""
        parts.append(f"<{block.tag}{anchor}>{_inline(block.text)}</{block.tag}>")
    parts += ["</ul>"] * is_listing
    return (
        '<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n<title>The standard</title>\n'
        f"<style>{STYLE}</style>\n" + "\n".join(parts) + "\n</html>\n"
    )


def _inline(text: str) -> str:
    coded = re.sub(r"`([^`]+)`", r"<code>\1</code>", html.escape(text))
    return re.sub(r"\[([^\]]+)\]\((\.\./[^)]+)\)", r'<a href="\2">\1</a>', coded)
