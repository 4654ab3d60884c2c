"""Scripts: a failure written in the engine's own API, without this project.

The failing check is run once more through a backend that writes down every call to the engine, as the
adapter's dialect and its table of ops spell it.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from conformance.backend import (
    Backend,
    Function,
    FunctionalBackend,
    NDArray,
    TapeBackend,
    as_tuple,
)
from conformance.errors import Unsupported, is_ctrl_c
from conformance.scripts.builder import ScriptBuilder
from conformance.scripts.recording_flow import RecordingFlow


def script_of(
    backend: Backend,
    run: Callable[[Backend], Any],
    failure: BaseException | None,
    step: Callable[[], None] = lambda: None,
) -> str:
    """The script of a check: the calls that `run` makes to the engine, and what was expected.

    Empty where the adapter has no dialect. `step` is called for every line that is written, before the engine does what
    it says: what it raises ends the script at that line.
    """
    if backend.dialect is None:
        return ""
    builder = ScriptBuilder(backend, backend.dialect)
    builder.step = step
    try:
        run(recorder(backend, builder))
    except BaseException as error:  # the failure is known; here only the calls before it matter
        if is_ctrl_c(error):
            raise
        builder.end_at(error)
    return builder.text(failure)


class RecordingTape(RecordingFlow, TapeBackend):
    """A tape that writes down the calls it receives."""

    inner: TapeBackend

    def leaf(self, value: NDArray) -> Any:
        """A leaf."""
        return self.builder.made("x", self.builder.dialect.leaf, value, self.inner.leaf)

    def backward(self, output: Any, gradient: Any = None, *, retain: bool = False) -> None:
        """A backward pass."""
        dialect, called = self.builder.dialect, self.builder.called
        if gradient is None:
            line = dialect.backward.format(output=called(output))
        else:
            template = (retain and dialect.backward_retaining) or dialect.backward_with
            line = template.format(output=called(output), cotangent=called(gradient))
        self.builder.attempt(line, lambda: self.inner.backward(output, gradient, retain=retain))

    def grad(self, leaf: Any) -> Any:
        """A gradient."""
        gradient = self.inner.grad(leaf)
        name = self.builder.dialect.grad.format(leaf=self.builder.called(leaf))
        if gradient is None:  # which may be what is wrong
            self.builder.write(f"print({name})")
            return None
        return self.builder.name(gradient, name)

    def clear(self, leaf: Any) -> None:
        """Clearing."""
        self.builder.write(self.builder.dialect.clear.format(leaf=self.builder.called(leaf)))
        self.inner.clear(leaf)

    def graph(self, output: Any) -> Any:
        """The graph."""
        return self.inner.graph(output)


class RecordingFunctional(RecordingFlow, FunctionalBackend):
    """A functional engine that writes down the calls it receives."""

    inner: FunctionalBackend

    def pullback(self, function: Function, arrays: Sequence[Any]) -> tuple[Any, Function]:
        """A pullback, and its calls."""
        builder = self.builder
        defined = self.defined(function)
        out, pull = builder.fresh("out"), builder.fresh("pullback")
        names = ", ".join(map(builder.called, arrays))
        template = builder.dialect.pullback
        with _written_after(
            builder,
            lambda: template.format(out=out, pullback=pull, function=defined.name, operands=names),
        ):
            output, pulled = self.inner.pullback(defined.traced, arrays)
        for index, z in enumerate(as_tuple(output)):
            builder.name(z, f"{out}[{index}]" if isinstance(output, (tuple, list)) else out)

        def recorded(cotangents: Any) -> Any:
            given = builder.fresh("gradients")
            several = isinstance(cotangents, (tuple, list))
            text = ", ".join(map(builder.called, as_tuple(cotangents)))
            line = f"{given} = {pull}({f'({text},)' if several else text})"
            gradients = builder.attempt(line, lambda: tuple(pulled(cotangents)))
            for index, gradient in enumerate(gradients):
                builder.name(gradient, f"{given}[{index}]")
            return gradients

        return output, recorded

    def gradient(self, function: Function, operands: Sequence[NDArray]) -> tuple[Any, ...]:
        """A gradient without a cotangent."""
        builder = self.builder
        names = [builder.called(self.array(x)) for x in operands]
        defined = self.defined(function)
        given = builder.fresh("gradients")
        template, chosen = f"{given} = {builder.dialect.gradient}", tuple(range(len(operands)))
        with _written_after(
            builder,
            lambda: template.format(function=defined.name, operands=", ".join(names), argnums=chosen),
        ):
            gradients = self.inner.gradient(defined.traced, operands)
        for index, gradient in enumerate(gradients):
            builder.name(gradient, f"{given}[{index}]")
        return gradients


@contextlib.contextmanager
def _written_after(builder: ScriptBuilder, line: Callable[[], str]) -> Iterator[None]:
    """A scope for the call of a function, which is written before the line that calls it, also where that is refused."""
    refusals = list[BaseException]()
    try:
        yield
    except BaseException as refusal:
        refusals.append(refusal)
        raise
    finally:
        builder.write(line())
        if refusals:
            builder.refused(refusals[0])


def recorder(backend: Backend, builder: ScriptBuilder) -> Backend:
    """The backend, writing into the builder."""
    if isinstance(backend, TapeBackend):
        return RecordingTape(backend, builder)
    if isinstance(backend, FunctionalBackend):
        return RecordingFunctional(backend, builder)
    raise Unsupported(f"{type(backend).__name__} is neither a tape nor functional")
