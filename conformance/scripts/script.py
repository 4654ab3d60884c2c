"""Scripts: a failure told in the engine's own API, without this project.

The failing question is asked once more through a backend that writes down what is asked of the engine,
in the words of the adapter's dialect and of its table of ops.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
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
from conformance.scripts.builder import Notebook
from conformance.scripts.recording_optional import RecordingOffers


def script_of(backend: Backend, ask: Callable[[Backend], Any], failure: BaseException | None) -> str:
    """The script of a question: what `ask` makes of the engine, and what was expected.

    Empty where the adapter has no dialect.
    """
    if backend.dialect is None:
        return ""
    notebook = Notebook(backend, backend.dialect)
    try:
        ask(recorder(backend, notebook))
    except BaseException as error:  # the failure is known; here only the way to it is of interest
        if is_ctrl_c(error):
            raise
    return notebook.text(failure)


class RecordingTape(RecordingOffers, TapeBackend):
    """A tape that writes down what is asked of it."""

    inner: TapeBackend

    def leaf(self, value: NDArray) -> Any:
        """A leaf."""
        return self.notebook.made("x", self.notebook.dialect.leaf, value, self.inner.leaf)

    def backward(self, output: Any, gradient: Any = None, *, retain: bool = False) -> None:
        """A walk back."""
        dialect, called = self.notebook.dialect, self.notebook.called
        if gradient is None:
            self.notebook.write(dialect.backward.format(output=called(output)))
        else:
            template = (retain and dialect.backward_retaining) or dialect.backward_with
            self.notebook.write(template.format(output=called(output), cotangent=called(gradient)))
        self.inner.backward(output, gradient, retain=retain)

    def grad(self, leaf: Any) -> Any:
        """A gradient."""
        gradient = self.inner.grad(leaf)
        name = self.notebook.dialect.grad.format(leaf=self.notebook.called(leaf))
        return gradient if gradient is None else self.notebook.name(gradient, name)

    def clear(self, leaf: Any) -> None:
        """Clearing."""
        self.notebook.write(self.notebook.dialect.clear.format(leaf=self.notebook.called(leaf)))
        self.inner.clear(leaf)

    def graph(self, output: Any) -> Any:
        """The graph."""
        return self.inner.graph(output)


class RecordingFunctional(RecordingOffers, FunctionalBackend):
    """A functional engine that writes down what is asked of it."""

    inner: FunctionalBackend

    def pullback(self, function: Function, arrays: Sequence[Any]) -> tuple[Any, Function]:
        """A pullback, and its calls."""
        notebook = self.notebook
        defined = self.defined(function)
        out, pull = notebook.fresh("out"), notebook.fresh("pullback")
        names = ", ".join(map(notebook.called, arrays))
        try:
            output, pulled = self.inner.pullback(defined.traced, arrays)
        finally:
            template = notebook.dialect.pullback
            notebook.write(template.format(out=out, pullback=pull, function=defined.name, operands=names))
        for index, z in enumerate(as_tuple(output)):
            notebook.name(z, f"{out}[{index}]" if isinstance(output, (tuple, list)) else out)

        def recorded(cotangents: Any) -> Any:
            given = notebook.fresh("gradients")
            several = isinstance(cotangents, (tuple, list))
            text = ", ".join(map(notebook.called, as_tuple(cotangents)))
            notebook.write(f"{given} = {pull}({f'({text},)' if several else text})")
            gradients = tuple(pulled(cotangents))
            for index, gradient in enumerate(gradients):
                notebook.name(gradient, f"{given}[{index}]")
            return gradients

        return output, recorded

    def gradient(self, function: Function, operands: Sequence[NDArray]) -> tuple[Any, ...]:
        """A gradient asked without a cotangent."""
        notebook = self.notebook
        names = [notebook.called(self.array(x)) for x in operands]
        defined = self.defined(function)
        given = notebook.fresh("gradients")
        try:
            gradients = self.inner.gradient(defined.traced, operands)
        finally:
            text = notebook.dialect.gradient.format(
                function=defined.name,
                operands=", ".join(names),
                argnums=tuple(range(len(operands))),
            )
            notebook.write(f"{given} = {text}")
        for index, gradient in enumerate(gradients):
            notebook.name(gradient, f"{given}[{index}]")
        return gradients


def recorder(backend: Backend, notebook: Notebook) -> Backend:
    """The backend, writing into the notebook."""
    if isinstance(backend, TapeBackend):
        return RecordingTape(backend, notebook)
    if isinstance(backend, FunctionalBackend):
        return RecordingFunctional(backend, notebook)
    raise Unsupported(f"{type(backend).__name__} is neither a tape nor functional")
