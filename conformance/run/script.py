"""Scripts: a failure told in the engine's own API, without this project.

The failing question is asked once more through a backend that writes down what is asked of the engine,
in the words of the adapter's dialect and of its table of ops.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from conformance.backend import (
    Backend,
    Dialect,
    Function,
    FunctionalBackend,
    NDArray,
    TapeBackend,
    as_tuple,
)
from conformance.errors import Unsupported, Violation, is_ctrl_c
from conformance.run import source

LONGEST_VALUE = 400  # characters of an expected value worth printing


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


class Notebook:
    """The lines of a script being written, and the names of the engine's arrays in it."""

    def __init__(self, backend: Backend, dialect: Dialect) -> None:
        self.backend = backend
        self.dialect = dialect
        self.lines: list[str] = []
        self.indent = ""
        self._names: dict[int, tuple[str, Any]] = {}
        self._counts: dict[str, int] = {}
        self._functions: dict[tuple[str, ...], str] = {}

    def fresh(self, prefix: str) -> str:
        """A name not used so far."""
        number = self._counts.get(prefix, 0)
        self._counts[prefix] = number + 1
        return f"{prefix}{number}"

    def write(self, line: str) -> None:
        """Add a line, unless it repeats the last."""
        if not self.lines or self.lines[-1] != self.indent + line:
            self.lines.append(self.indent + line)

    @contextlib.contextmanager
    def definition(self, arguments: Sequence[str], named: list[str]) -> Iterator[None]:
        """The lines written inside are a function; one with the same body as an earlier is not written again."""
        start, indent, counted = len(self.lines), self.indent, self._counts.get("t", 0)
        self.indent, self._counts["t"] = indent + "    ", 0
        try:
            yield
        finally:
            body = tuple(self.lines[start:])
            self.indent, self._counts["t"] = indent, counted
            del self.lines[start:]
            if body not in self._functions:
                self._functions[body] = self.fresh("f")
                self.write(f"def {self._functions[body]}({', '.join(arguments)}):")
                self.lines.extend(body)
            named.append(self._functions[body])

    def name(self, array: Any, name: str) -> Any:
        """Remember what an array is called; the array is kept, so that its identity stays its own."""
        self._names[id(array)] = (name, array)
        return array

    def called(self, array: Any) -> str:
        """What an array is called."""
        return self._names[id(array)][0] if id(array) in self._names else repr(array)

    def made(self, prefix: str, template: str, value: NDArray, make: Callable[[NDArray], Any]) -> Any:
        """Write how an array is made, and make it."""
        name, dtype = self.fresh(prefix), value.dtype.name
        buffer, view = spread(value)
        array = self.dialect.array.format(values=literal(buffer), dtype=dtype) + view
        lost = "  # does not lie in C order" if view and "{array}" not in template else ""
        self.write(f"{name} = {template.format(values=literal(value), dtype=dtype, array=array)}{lost}")
        return self.name(make(value), name)

    def text(self, failure: BaseException | None) -> str:
        """The script."""
        is_about_values = any(word in str(failure) for word in ("value", "output"))
        kept = [
            x for x in self.lines if is_about_values or not x.lstrip().startswith(("print(out", "print(y"))
        ]
        body = "\n".join(kept)
        tail = [f"# {line}" for line in str(failure).splitlines()]
        if isinstance(failure, Violation):
            for title, value in (("expected", failure.expected), ("got", failure.got)):
                shown = literal(value) if value is not None else ""
                if shown and len(shown) <= LONGEST_VALUE:
                    tail.append(f"# {title} {shown}")
        try:
            helpers = source.helpers_in(self.backend, body)
        except SyntaxError:  # a repr that is no Python: the script is still worth reading
            helpers = ""
        return "\n".join(part for part in (self.dialect.imports, helpers, body, *tail) if part)


def spread(value: NDArray) -> tuple[NDArray, str]:
    """A buffer in C order, and the indexing that makes of it an array that lies as `value` does."""
    if value.flags.c_contiguous or not value.size:
        return value, ""
    if value.flags.f_contiguous and value.ndim == 2:
        return value.T, ".T"
    if value.strides[-1] == 2 * value.itemsize:
        buffer = np.zeros((*value.shape[:-1], 2 * value.shape[-1]), value.dtype)
        buffer[..., ::2] = value
        return buffer, "[..., ::2]"
    return value, ""


def literal(value: Any) -> str:
    """Numbers as Python writes them; an empty array keeps its shape."""
    array = np.asarray(value)
    if array.dtype.kind == "f":
        array = array.astype(np.float64)
    if array.size == 0 and array.ndim > 1:
        return f"np.zeros({array.shape})"
    return repr(array.tolist()).replace("nan", "float('nan')").replace("inf", "float('inf')")


class _Recording(Backend):
    """What both faces write down."""

    def __init__(self, inner: Backend, notebook: Notebook) -> None:
        super().__init__()
        self.inner = inner
        self.notebook = notebook
        for field in ("engine", "mode", "dtypes", "capabilities", "conventions", "ops", "dialect", "name"):
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
        self.notebook.write(self.notebook.dialect.show.format(value=self.notebook.called(array)))
        return self.inner.numpy(array)

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
            self.notebook.indent = before

    def custom(self, forward: Function, backward: Function) -> Function:
        """A rule written by hand has no one-line spelling; the script says so."""
        self.notebook.write("# a rule written by hand goes here; see the check's source")
        return self.inner.custom(forward, backward)


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
