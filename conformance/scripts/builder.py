"""The builder of a script: its lines, with the names of the engine's arrays in them."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from conformance.backend import Backend, Dialect, Function, NDArray, as_tuple
from conformance.errors import Unsupported, is_violation
from conformance.scripts import ending
from conformance.scripts.formulas import OPERANDS, RAISED, RAISER, NoFormula, Symbol, formula_of
from conformance.scripts.helpers import carried, missing_in
from conformance.scripts.large import LargeValues
from conformance.scripts.literals import is_same, literal, method_of, spread
from conformance.scripts.scopes import written_where_entered
from conformance.scripts.shorten import shortened
from conformance.scripts.threads import Threads, in_threads, like
from conformance.trace import is_aside


class ScriptBuilder:
    """The lines of a script being written, and the names of the engine's arrays in it."""

    def __init__(self, backend: Backend, dialect: Dialect) -> None:
        self.backend = backend
        self.dialect = dialect
        self.lines: list[str] = []
        self.indent = ""
        self._names: dict[int, tuple[str, Any]] = {}
        self._counts: dict[str, int] = {}
        self._functions: dict[tuple[str, ...], str] = {}  # those that can be called from here
        self._writing = threading.RLock()  # held while a function is written: other threads write after it
        self._threads = Threads()
        self.large = LargeValues(self.fresh)
        self._muting = threading.local()  # of one thread: what the others do is still written
        self.is_traced = False  # whether an engine traces a function by its code: it is not disturbed
        self.rules: list[str] = []  # custom rules, defined before everything else
        self.built: set[str] = set()  # these rules, and what is compiled, mapped or computed again
        self.reads: list[tuple[str, NDArray]] = []  # what was looked at, and what it was
        self.decided = ""  # the line that prints what decided the last branch
        self.unspelled: list[str] = []  # methods that the dialect has no words for: their calls are lacking
        self.is_without_rule = False  # whether a rule raises in the place of a check's own
        self._ends: tuple[BaseException, list[str]] | None = None  # the last refusal, and the lines up to it
        self._is_ended = False  # whether the script ends at the line that raised
        self._refused = -1  # the line that the engine refused, where it was the last one written
        self._caught = ""  # the clause that catches the last refusal
        self.step: Callable[[], None] = lambda: None  # called when a line is written, before it is done

    def has_no_words(self, method: str) -> Unsupported:
        """What is raised where the dialect does not spell a method; the script says so, since it is not the whole then."""
        if method not in self.unspelled:
            self.unspelled.append(method)
        return Unsupported(f"the dialect of {self.backend.engine} has no words for {method}")

    def fresh(self, prefix: str) -> str:
        """A name not used so far."""
        number = self._counts.get(prefix, 0)
        self._counts[prefix] = number + 1
        return f"{prefix}{number}"

    @property
    def depth(self) -> int:
        """How many blocks are open around the next line, and one: names of a block are that long."""
        return len(self.indent) // 4 + 1

    def result(self) -> str:
        """A name for what an op returns; in a block, which may be nested, one of its own."""
        with self._writing:
            return self.fresh("t" * (self.depth - 1) if self.indent else "y")

    @property
    def is_muted(self) -> bool:
        """Whether nothing is written now."""
        return getattr(self._muting, "is_on", False) or is_aside()

    @contextlib.contextmanager
    def muted(self) -> Iterator[None]:
        """A scope in which nothing that this thread does is written."""
        before = getattr(self._muting, "is_on", False)
        self._muting.is_on = True
        try:
            yield
        finally:
            self._muting.is_on = before

    def write(self, line: str, *block: str) -> None:
        """Add a line, unless it repeats the last, and the lines of its block, which are indented already."""
        with self._writing:
            is_repeated = bool(self.lines) and self.lines[-1] == self.indent + line
            if not self.is_muted and not is_repeated:
                if self._refused == len(self.lines) - 1 >= 0:
                    self._survive()
                self.lines += (self._threads.line(self.indent + line), *block)
        self.step()

    def attempt(self, line: str, call: Callable[[], Any]) -> Any:
        """Write a statement and do it; where the engine refuses it and the check goes on, so does the script."""
        self.write(line)
        self._refused = -1
        try:
            return call()
        except BaseException as refusal:  # an engine's panic is no Exception
            self.refused(refusal)
            raise

    def refused(self, refusal: BaseException) -> None:
        """Note that the line written last has raised this."""
        is_no_refusal = self.is_muted or isinstance(refusal, ending.LastLine)
        self._refused, self._caught = -1 if is_no_refusal else len(self.lines) - 1, ending.caught(refusal)
        if self._refused >= 0 and not self.indent:  # inside a function its head is not yet written
            self._ends = (refusal, self.lines[:])

    def end_at(self, failure: BaseException) -> None:
        """End the script at the line that raised this, if it did: what a check looks at afterwards is not the failure."""
        if self._ends is not None and self._ends[0] is failure and not self.indent:
            self.lines, self._refused = self._ends[1], -1
            self._is_ended = True

    def _survive(self) -> None:
        """Put the last line into a `try`: what is written after it was done although it had been refused."""
        line, self._refused = self.lines.pop(), -1
        tried = (f"    {part.strip()}" for part in line.strip().splitlines())
        for part in ("try:", *tried, self._caught, "    print(refusal)"):
            self.lines.append(like(line, self.indent + part))

    @contextlib.contextmanager
    def definition(self, arguments: Sequence[str], named: list[str]) -> Iterator[None]:
        """The lines written inside are a function; one with the same body as an earlier is not written again."""
        with self._writing:
            yield from self._defined(arguments, named)

    def _defined(self, arguments: Sequence[str], named: list[str]) -> Iterator[None]:
        start, indent, results = len(self.lines), self.indent, "t" * self.depth
        counted, around = self._counts.get(results, 0), (dict(self._functions), dict(self._names))
        self.indent, self._counts[results] = indent + "    ", 0
        try:
            yield
        finally:
            is_refused = self._refused == len(self.lines) - 1
            body, self._refused = tuple(ending.returned(self.lines[start:], is_refused)), -1
            self.indent, self._counts[results] = indent, counted
            self._functions, self._names = around
            del self.lines[start:]
            known = (*arguments, *body)  # an argument may be one that is not used
            if known not in self._functions:
                self._functions[known] = self.fresh("f")
                head = f"def {self._functions[known]}({', '.join(arguments)}):"
                done = body or (self._threads.line(f"{indent}    ..."),)  # refused before it did anything
                self.write(head, *done)
            named.append(self._functions[known])

    def rule(self, forward: Function, backward: Function, count: int) -> str:
        """Define a custom rule by its formulas; returns its name."""
        name, operands = self.fresh("rule"), OPERANDS[:count]
        try:
            value, cotangents = formula_of(forward, operands), formula_of(backward, "g" + operands)
            template = self.dialect.custom
        except NoFormula as reason:
            value = cotangents = "..."
            template = self._without(reason)
        return self._ruled(template, name, operands, value, cotangents)

    def further_rule(
        self, template: str, forward: Function, rule_for: Callable[[int], Function], count: int
    ) -> str:
        """Define a custom rule of another form: `rule_for` has its formula, by the number of outputs; returns its name."""
        name, operands, comma = self.fresh("rule"), OPERANDS[:count], ""
        try:
            value = formula_of(forward, operands)
            outputs = len(as_tuple(forward(*map(Symbol, operands))))
            comma = "," if outputs == 1 else ""
            cotangents = formula_of(rule_for(outputs), operands)
        except NoFormula as reason:
            value = cotangents = "..."
            template = self._without(reason)
        return self._ruled(template, name, operands, value, cotangents, comma=comma)

    def _without(self, reason: NoFormula) -> str:
        self.is_without_rule = True
        return reason.template

    def _ruled(
        self, template: str, name: str, operands: str, value: str, cotangents: str, **more: str
    ) -> str:
        listed = ", ".join(operands)
        self.built.add(name)
        if f"{RAISED}(" in value + cotangents and RAISER not in self.rules:
            self.rules.append(RAISER)
        self.rules.append(
            template.format(name=name, operands=listed, value=value, cotangents=cotangents, **more)
        )
        return name

    def name(self, array: Any, name: str) -> Any:
        """Remember what an array is called; the array is kept, so that its identity stays its own."""
        with self._writing:
            self._names[id(array)] = (name, array)
        return array

    def named(self, output: Any, name: str) -> Any:
        """Remember what an op's output, or each of several, is called."""
        if isinstance(output, (tuple, list)):
            for index, z in enumerate(output):
                self.name(z, f"{name}[{index}]")
        return self.name(output, name)

    def name_parts(self, structure: Any, name: str) -> None:
        """Remember what every array of a structure is called."""
        if isinstance(structure, (list, tuple, dict)):
            pairs = structure.items() if isinstance(structure, dict) else enumerate(structure)
            for key, part in pairs:
                self.name_parts(part, f"{name}[{key!r}]")
        elif structure is not None:
            self.name(structure, name)

    def called(self, array: Any) -> str:
        """What an array is called."""
        if id(array) in self._names:
            return self._names[id(array)][0]
        is_numpys = type(array) is np.ndarray  # whose repr is no Python where only `np` is imported
        return f"np.array({literal(array)}, '{array.dtype}')" if is_numpys else repr(array)

    def made(self, prefix: str, template: str, value: NDArray, make: Callable[[NDArray], Any]) -> Any:
        """Write how an array is made, and make it."""
        name, dtype = self.fresh(prefix), value.dtype.name
        buffer, view = spread(value)
        made = None
        try:
            made = make(value)
        finally:
            has_view = "{array}" in template and hasattr(made, method_of(view))
            numbers = self.large.text(buffer if has_view else value)
            array = self.dialect.array.format(values=numbers, dtype=dtype)
            text = template.format(values=self.large.text(value), dtype=dtype, array=array + view * has_view)
            lost = "  # is not in C order" if view and not has_view else ""
            self.write(f"{name} = {text}{lost}")
        return self.name(made, name)

    def looked_at(self, array: Any, read: Callable[[Any], NDArray]) -> NDArray:
        """Write that a value is read, read it, and remember what it was.

        It is written first: an engine that computes what is read may raise here, and then the script must as well.
        """
        name = self.called(array)
        self.write(self.dialect.show.format(value=name))
        value = read(array)
        self.reads.append((name, np.array(value)))
        return value

    def _revealing(self, failure: BaseException | None) -> list[str] | None:
        """Of what was read, what shows the failure: what was got, and what it was compared with.

        None where nothing that was read is what was got.
        """
        got = failure.got if is_violation(failure) else None
        if got is None:
            return None
        last = next((name for name, value in reversed(self.reads) if is_same(value, got)), None)
        if last is None:
            return None
        alike = [name for name, value in self.reads if value.shape == np.shape(got)]
        expected = failure.expected if is_violation(failure) else None
        multiples = [] if expected is None else [k * np.asarray(expected) for k in (1, -1, 0.5)]
        compared = [n for n, v in self.reads if n != last and any(is_same(v, m) for m in multiples)]
        if expected is not None and not compared:  # the same of operands in another order
            compared = [
                n for n, v in self.reads if n != last and is_same(np.sort(v, None), np.sort(expected, None))
            ]
        return [*(compared[:1] or alike[:1]), last]

    def text(self, failure: BaseException | None) -> str:
        """The script."""
        body = "\n".join(written_where_entered(self._threads.blocks(self.lines)))
        head = ending.lacking_of(self.unspelled) + [ending.UNRULED] * self.is_without_rule
        try:
            imports, helpers = carried(self.backend, body, self.dialect.imports)
        except SyntaxError:  # a repr that is no Python: the script is still worth reading
            helpers = imports = ""
        parts = (self.dialect.imports, imports, *self.rules, helpers, body)
        whole = "\n".join(part for part in parts if part)
        with contextlib.suppress(SyntaxError):
            revealing = None if failure is None else self._revealing(failure)
            show = self.dialect.show.format
            decided = [self.decided] if self.decided else []
            lines = None if revealing is None else [*decided, *(show(value=name) for name in revealing)]
            if lines is None and self._is_ended and len(self.lines) > ending.MANY:
                lines = self.lines[-1:]
            whole = shortened(whole, lines, self.dialect.effects, frozenset(self.built))
            whole = in_threads(whole)
        head += [*self._threads.head(), *filter(None, [missing_in(self.backend, whole)])]
        whole = self.large.defined(whole)
        end = ending.ending_of(failure, whole, has_raised=self._ends is not None)
        return "\n".join(
            (*head, *ending.length_of(whole), whole, *end, *ending.lacking_at_end(failure, self.unspelled))
        )
