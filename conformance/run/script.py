"""Scripts: a failure told in the engine's own API, without this project.

The failing question is asked once more through a backend that writes down what is asked of the engine,
in the words of the adapter's dialect and of its table of ops.
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
from conformance.run import source
from conformance.run.notebook import Notebook


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


class _Recording(Backend):
    """What both faces write down."""

    def __init__(self, inner: Backend, notebook: Notebook) -> None:
        super().__init__()
        self.inner = inner
        self.notebook = notebook
        for field in (
            "engine",
            "mode",
            "dtypes",
            "capabilities",
            "conventions",
            "points",
            "ops",
            "dialect",
            "name",
        ):
            setattr(self, field, getattr(inner, field))

    def version(self) -> str:
        """The engine's."""
        return self.inner.version()

    def op(self, name: str) -> Function:
        """The engine's op, its calls written down."""
        function = self.inner.op(name)

        def recorded(*operands: Any, **parameters: Any) -> Any:
            notebook = self.notebook
            target = notebook.fresh("t" if notebook.indent else "y")
            names = [notebook.called(x) for x in operands]
            notebook.write(f"{target} = {source.call_text(self.inner, name, names, parameters)}")
            output = function(*operands, **parameters)
            if isinstance(output, (tuple, list)):
                for index, z in enumerate(output):
                    notebook.name(z, f"{target}[{index}]")
            return notebook.name(output, target)

        return recorded

    def array(self, value: NDArray) -> Any:
        """A constant."""
        return self.notebook.made("c", "{array}", value, self.inner.array)

    def numpy(self, array: Any) -> NDArray:
        """Reading a value is worth a print."""
        value = self.inner.numpy(array)
        self.notebook.looked_at(array, value)
        return value

    def memory(self, array: Any) -> NDArray:
        """The checks write sevens into memory."""
        memory = self.inner.memory(array)
        self.notebook.write(f"{self.notebook.called(array)}[...] = 7.0")
        return memory

    def detach(self, array: Any) -> Any:
        """Cut."""
        name = self.notebook.fresh("d")
        self.notebook.write(
            f"{name} = {self.notebook.dialect.detach.format(value=self.notebook.called(array))}"
        )
        return self.notebook.name(self.inner.detach(array), name)

    @contextlib.contextmanager
    def no_grad(self) -> Iterator[None]:
        """A scope."""
        self.notebook.write(f"with {self.notebook.dialect.no_grad}:")
        before, self.notebook.indent = self.notebook.indent, self.notebook.indent + "    "
        try:
            with self.inner.no_grad():
                yield
        finally:
            if self.notebook.lines[-1].endswith(":"):  # nothing was written inside
                self.notebook.write("pass")
            self.notebook.indent = before

    def custom(self, forward: Function, backward: Function) -> Function:
        """A rule written by hand, told by its formulas."""
        notebook, inner = self.notebook, self.inner.custom(forward, backward)
        named: list[str] = []

        def recorded(*operands: Any) -> Any:
            if not named:
                named.append(notebook.rule(forward, backward, len(operands)))
            called = ", ".join(map(notebook.called, operands))
            target = notebook.fresh("t" if notebook.indent else "y")
            notebook.write(f"{target} = {named[0]}({called})")
            return notebook.name(inner(*operands), target)

        return recorded


class RecordingTape(_Recording, TapeBackend):
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


class RecordingFunctional(_Recording, FunctionalBackend):
    """A functional engine that writes down what is asked of it."""

    inner: FunctionalBackend

    def _defined(self, function: Function) -> tuple[list[str], Function]:
        """A function that writes itself down when it is first traced, and a list that then holds its name."""
        notebook = self.notebook
        named: list[str] = []

        def traced(*operands: Any) -> Any:
            if named:
                return function(*operands)
            named.append("f")
            names = [f"a{i}" for i in range(len(operands))]
            for operand, given in zip(operands, names, strict=True):
                notebook.name(operand, given)
            with notebook.definition(names, named):
                output = function(*operands)
                several = isinstance(output, (tuple, list))
                listed = ", ".join(map(notebook.called, as_tuple(output)))
                notebook.write(f"return {listed}{',' if several else ''}")
                return output

        return named, traced

    def pullback(self, function: Function, arrays: Sequence[Any]) -> tuple[Any, Function]:
        """A pullback, and its calls."""
        notebook = self.notebook
        named, traced = self._defined(function)
        out, pull = notebook.fresh("out"), notebook.fresh("pullback")
        names = ", ".join(map(notebook.called, arrays))
        try:
            output, pulled = self.inner.pullback(traced, arrays)
        finally:
            template, called = notebook.dialect.pullback, named[-1] if named else "f"
            notebook.write(template.format(out=out, pullback=pull, function=called, operands=names))
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
        names = []
        for operand in operands:
            self.array(operand)
            names.append(f"c{notebook._counts['c'] - 1}")
        named, traced = self._defined(function)
        given = notebook.fresh("gradients")
        try:
            gradients = self.inner.gradient(traced, operands)
        finally:
            text = notebook.dialect.gradient.format(
                function=named[-1] if named else "f",
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
