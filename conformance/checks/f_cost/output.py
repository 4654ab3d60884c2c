"""Chapter F: the output that a gradient writes, which must be empty."""

from __future__ import annotations

import contextlib
import gc
import os
import sys
import tempfile
import warnings
from collections.abc import Iterator

from conformance.backend import Backend
from conformance.checks.f_cost.workload import hold_gradient, operands, squares
from conformance.checks.members import Member, members
from conformance.checks.registry import contract
from conformance.checks.sample import Sample
from conformance.errors import Violation, text_of


@contract("F5", "silent")
def gradient_prints_and_warns_of_nothing(engine: Backend, sample: Sample) -> None:
    """A gradient prints nothing and warns of nothing."""
    function, (x, w) = squares(engine), operands(sample)
    with warnings.catch_warnings(record=True) as warned, _captured_output() as printed:
        warnings.simplefilter("always")
        gradients = engine.gradient(function, [x, w])
        for gradient in gradients:
            engine.finish(gradient)
    hold_gradient(engine, gradients, x, w)
    if warned:
        raise Violation(f"a plain gradient warns: {warned[0].category.__name__}: {warned[0].message}")
    if printed:
        raise Violation(f"a plain gradient prints {printed[0][:200]!r}")


@contract("F5", "freed-silently", is_about_outcome=True)
def freeing_a_graph_raises_nothing(engine: Backend, sample: Sample) -> None:
    """A graph that ends, after its backward pass or without one, raises nothing where nobody can catch it, also of operands that cannot be written."""
    gc.collect()  # of what was asked before, nothing is noted
    with _caught_in_destructors() as raised:
        for number, member in enumerate(members(engine, sample)):
            for is_writable in (True, False):
                _make_and_free(engine, member, is_pulled=number % 2 == 0, is_writable=is_writable)
        gc.collect()
    if raised:
        raise Violation(f"an exception that nobody can catch, when a graph ends: {raised[0]}")


def _make_and_free(engine: Backend, member: Member, *, is_pulled: bool, is_writable: bool) -> None:
    operands = member.operands
    for operand in operands:
        operand.flags.writeable = is_writable
    with contextlib.suppress(Exception):  # the checks of the op report it
        traced = engine.trace(member.function(engine), operands, member.wrt)
        if is_pulled:
            traced.pull([engine.array(g) for g in member.cotangents])


@contextlib.contextmanager
def _caught_in_destructors() -> Iterator[list[str]]:
    """The exceptions raised in destructors and callbacks of weak references, which Python prints and drops."""
    raised: list[str] = []
    before = sys.unraisablehook
    sys.unraisablehook = lambda found: raised.append(_said(found))
    try:
        yield raised
    finally:
        sys.unraisablehook = before


def _said(found: sys.UnraisableHookArgs) -> str:
    text = "" if found.exc_value is None else text_of(found.exc_value)
    return f"{found.exc_type.__name__}: {text}"


@contextlib.contextmanager
def _captured_output() -> Iterator[list[str]]:
    """A list of the texts written to the process's output, from Python or from C; complete after the block."""
    written: list[str] = []
    with tempfile.TemporaryFile() as file:
        kept = {number: os.dup(number) for number in (1, 2)}
        with contextlib.redirect_stdout(_Stream(written)), contextlib.redirect_stderr(_Stream(written)):
            try:
                for number in kept:
                    os.dup2(file.fileno(), number)
                yield written
            finally:
                for number, copy in kept.items():
                    os.dup2(copy, number)
                    os.close(copy)
        file.seek(0)
        text = file.read().decode(errors="replace")
        if text:
            written.append(text)


class _Stream:
    """A stream that appends every text to a list."""

    def __init__(self, written: list[str]) -> None:
        self.written = written

    def write(self, text: str) -> int:
        if text:
            self.written.append(text)
        return len(text)

    def flush(self) -> None:
        """Nothing is buffered."""
