"""Recording: a backend that writes down the calls it receives, of a tape or of a functional engine."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Any

import numpy as np

from conformance.backend import Backend, Function, NDArray, as_tuple
from conformance.scripts import adapter_source
from conformance.scripts.builder import ScriptBuilder
from conformance.scripts.formulas import Symbol
from conformance.scripts.literals import literal
from conformance.scripts.scopes import Scope
from conformance.scripts.threads import like


class Recording(Backend):
    """What tapes and functional engines have in common."""

    def __init__(self, inner: Backend, builder: ScriptBuilder) -> None:
        super().__init__()
        self.inner = inner
        self.builder = builder
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
            builder = self.builder
            if builder.is_traced:
                return function(*operands, **parameters)
            if any(isinstance(x, Symbol) for x in operands):  # called in the formula of a custom rule
                texts = [x.text if isinstance(x, Symbol) else builder.called(x) for x in operands]
                return Symbol(adapter_source.call_text(self.inner, name, texts, parameters))
            if builder.is_muted:
                return function(*operands, **parameters)
            target = builder.result()
            names = [builder.called(x) for x in operands]
            line = f"{target} = {adapter_source.call_text(self.inner, name, names, parameters)}"
            return builder.named(builder.attempt(line, lambda: function(*operands, **parameters)), target)

        return recorded

    def compared(self, array: Any, bound: float, is_larger: Any) -> Any:
        """`array > bound`, and what it gave: of the engine, or a truth value, which has that name until the next one."""
        if self.builder.is_muted:
            return is_larger
        target = self.builder.result()
        self.builder.write(f"{target} = {self.builder.called(array)} > {bound!r}")
        if not self.builder.indent and not self.builder.is_traced:  # Python branches on it here
            self.builder.decided = f"print(bool({target}))"
            self.builder.attempt(self.builder.decided, lambda: bool(is_larger))
        return self.builder.named(is_larger, target)

    def array(self, value: NDArray) -> Any:
        """A constant."""
        return self.builder.made("c", "{array}", value, self.inner.array)

    def numpy(self, array: Any) -> NDArray:
        """The values, which the script prints."""
        return self.builder.looked_at(array, self.inner.numpy)

    def memory(self, array: Any) -> NDArray:
        """The memory, whose writes the script has."""
        memory = self.inner.memory(array)
        words = self.builder.dialect.further.get("memory", "")
        is_numpys = isinstance(
            array, np.ndarray
        )  # its own memory: of a gradient, even where a leaf is a tensor
        target = self.builder.called(array)
        target = words.format(array=target) if words and not is_numpys else target

        def note(value: Any, write: Callable[[], None]) -> None:
            given = self._number_or_array(value, of_numpy=bool(words) or is_numpys)
            self.builder.attempt(f"{target}[...] = {given}", write)  # an engine may lock it

        return recorded_memory(memory, note)

    def _number_or_array(self, value: Any, of_numpy: bool) -> str:
        """A number, or an array, of the engine or of NumPy, as an expression."""
        if np.ndim(value) == 0:
            return repr(np.asarray(value).item())
        template = "np.array({values}, '{dtype}')" if of_numpy else self.builder.dialect.array
        return template.format(values=literal(value), dtype=np.asarray(value).dtype.name)

    def _words(self, call: str) -> str:
        """How the dialect writes a call; without words the script ends before it, since half a line would be no Python."""
        if words := str(getattr(self.builder.dialect, call)):
            return words
        raise self.builder.has_no_words(call)

    def detach(self, array: Any) -> Any:
        """A detached array."""
        name = self.builder.fresh("d")
        self.builder.write(f"{name} = {self._words('detach').format(value=self.builder.called(array))}")
        return self.builder.name(self.inner.detach(array), name)

    def no_grad(self) -> AbstractContextManager[None]:
        """A scope."""
        return self.scope(self._words("no_grad"), self.inner.no_grad())

    def scope(self, text: str, inner: AbstractContextManager[Any]) -> AbstractContextManager[Any]:
        """Blocks of the script, in which the engine's scope is open."""
        return Scope(self.builder, text, inner)

    def custom(self, forward: Function, backward: Function) -> Function:
        """A custom rule, defined by its formulas."""
        inner = self.inner.custom(self._unwritten(forward), self._unwritten(backward))

        def define(count: int) -> str:
            if not self.builder.dialect.custom:
                self.builder.has_no_words(
                    "custom"
                )  # the script calls a rule by its name, and says that it defines none
            return self.builder.rule(forward, backward, count)

        return self.ruled(inner, define)

    def _unwritten(self, function: Function) -> Function:
        """The function, what it calls not written down: its formula says it."""

        @functools.wraps(function)
        def muted(*operands: Any) -> Any:
            with self.builder.muted():
                return function(*operands)

        return muted

    def ruled(self, inner: Function, define: Callable[[int], str]) -> Function:
        """An op with a custom rule, which is defined when it is first called, given the number of its operands."""
        builder, named = self.builder, list[str]()

        def recorded(*operands: Any) -> Any:
            if builder.is_traced or builder.is_muted:
                return inner(*operands)
            if not named:
                named.append(define(len(operands)))
            called = ", ".join(map(builder.called, operands))
            target = builder.result()
            builder.write(f"{target} = {named[0]}({called})")
            return builder.named(inner(*operands), target)

        return recorded

    def defined(self, function: Function) -> Definition:
        """The function, ready to be handed to the engine in its place."""
        return Definition(self.builder, function)


class Definition:
    """A function that writes itself down when it is first called.

    What it does when it is called again, recomputed or compiled, is written already.
    """

    def __init__(self, builder: ScriptBuilder, function: Function) -> None:
        self.builder, self.function = builder, function
        self.has_several = False  # whether it has returned several outputs
        self._is_begun = False
        self._names = ["f"]

    @property
    def name(self) -> str:
        """What the script calls it; "f" where it was never called."""
        return self._names[-1]

    def tried(self, operands: Sequence[Any]) -> None:
        """Write the function before the engine calls it, or where it did not; what it raises is the engine's to raise."""
        if not self._is_begun:
            with contextlib.suppress(Exception):
                self.traced(*operands)

    def traced(self, *operands: Any) -> Any:
        """What the engine calls."""
        if self._is_begun:
            with self.builder.muted():
                output = self.function(*operands)
        else:
            self._is_begun = True
            output = self._written(operands)
        self.has_several |= isinstance(output, (tuple, list))
        return output

    def _written(self, operands: Sequence[Any]) -> Any:
        builder = self.builder
        names = [f"{'a' * builder.depth}{i}" for i in range(len(operands))]
        with builder.definition(names, self._names):
            for operand, given in zip(operands, names, strict=True):
                builder.name_parts(operand, given)
            output = self.function(*operands)
            listed = ", ".join(written(z, builder.called) for z in as_tuple(output))
            builder.write(f"return {listed}{',' if isinstance(output, (tuple, list)) else ''}")
            return output


class Maker:
    """How what is made of a function is called: where it is called again it has a name, since it is the same that is called."""

    def __init__(self, builder: ScriptBuilder) -> None:
        self.builder = builder
        self._first = (
            -1,
            "",
            "",
            "",
        )  # the place of the first call, its target, what is called, and the operands
        self._name = ""

    def call(self, target: str, made: str, operands: str) -> None:
        """Write the call of what `made` makes, which is written there unless it was before."""
        builder = self.builder
        if builder.indent or builder.is_muted:  # a name made in a function is no other function's
            builder.write(f"{target} = {made}({operands})")
            return
        place, before, known, given = self._first
        if known == made and not self._name and builder.lines[place] == f"{before} = {made}({given})":
            self._name = builder.fresh("made")
            builder.built.add(self._name)
            twice = f"{self._name} = {made}\n{before} = {self._name}({given})"
            builder.lines[place] = like(builder.lines[place], twice)
        builder.write(f"{target} = {self._name if self._name and known == made else made}({operands})")
        if not known:
            self._first = (len(builder.lines) - 1, target, made, operands)


def written(structure: Any, array: Callable[[Any], str]) -> str:
    """A structure as Python writes it, its arrays by name."""
    if isinstance(structure, dict):
        return "{" + ", ".join(f"{key!r}: {written(x, array)}" for key, x in structure.items()) + "}"
    if isinstance(structure, list):
        return "[" + ", ".join(written(x, array) for x in structure) + "]"
    if isinstance(structure, tuple):
        return "(" + "".join(f"{written(x, array)}, " for x in structure) + ")"
    return array(structure)


class _RecordedMemory(np.ndarray[Any, Any]):
    """Memory whose writes of the whole are noted; parts of it are plain."""

    note: Callable[[Any, Callable[[], None]], None] | None = None

    def __setitem__(self, key: Any, value: Any) -> None:
        write = functools.partial(super().__setitem__, key, value)
        if self.note is not None and key is Ellipsis:
            self.note(value, write)
        else:
            write()


def recorded_memory(memory: NDArray, note: Callable[[Any, Callable[[], None]], None]) -> NDArray:
    """The same memory, of which `note` is called with whatever is written into all of it, and with what writes it."""
    if not isinstance(memory, np.ndarray):
        return memory
    recorded = memory.view(_RecordedMemory)
    recorded.note = note
    return recorded
