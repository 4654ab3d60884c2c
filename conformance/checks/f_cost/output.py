"""Chapter F: the output that a gradient writes, which must be empty."""

from __future__ import annotations

import contextlib
import os
import tempfile
import warnings
from collections.abc import Iterator

from conformance.backend import Backend
from conformance.checks.f_cost.workload import hold_gradient, operands, squares
from conformance.checks.registry import contract
from conformance.checks.sample import Sample
from conformance.errors import Violation


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
