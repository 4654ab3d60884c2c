"""Recording what engines offer beyond gradients, in the words of the dialect's `further` templates."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Any

import numpy as np

from conformance.backend import Function, NDArray
from conformance.scripts.formulas import Symbol
from conformance.scripts.literals import literal
from conformance.scripts.recording import Maker, Recording, written


class RecordingOptional(Recording):
    """A backend that writes down the calls of the protocol's optional methods, too."""

    def _template(self, method: str) -> str:
        try:
            return self.builder.dialect.further[method]
        except KeyError:
            raise self.builder.has_no_words(method) from None

    def _listed(self, arrays: Sequence[Any]) -> str:
        return ", ".join(map(self.builder.called, arrays))

    # ---- derivatives of functions ---------------------------------------------------------------------

    def custom_by_operand(self, forward: Function, backward: Function) -> Function:
        """A custom rule of one or several outputs, defined by its formulas."""
        builder, inner = self.builder, self.inner.custom_by_operand(forward, backward)
        count = len(inspect.signature(forward).parameters)

        def of_every_operand(outputs: int) -> Function:
            gs, zs = ([Symbol(f"{many}[{k}]") for k in range(outputs)] for many in ("gs", "zs"))
            return lambda *xs: tuple(backward(i, gs, xs, zs) for i in range(count))

        name = builder.further_rule(self._template("custom_by_operand"), forward, of_every_operand, count)
        return self.ruled(inner, lambda _: name)

    def custom_forward(self, forward: Function, pushforward: Function) -> Function:
        """A custom rule of forward mode, defined by its formulas."""
        builder, inner = self.builder, self.inner.custom_forward(forward, pushforward)
        count = len(inspect.signature(forward).parameters)
        tangents = tuple(Symbol(f"ts[{k}]") for k in range(count))
        name = builder.further_rule(
            self._template("custom_forward"), forward, lambda _: lambda *xs: pushforward(xs, tangents), count
        )
        return self.ruled(inner, lambda _: name)

    def nested_vjp(
        self, function: Function, arrays: Sequence[Any], cotangents: Sequence[Any]
    ) -> tuple[Any, ...]:
        """Gradients, in a statement of their own."""
        out, builder, template = self.builder.fresh("out"), self.builder, self._template("nested_vjp")
        defined = self.defined(function)
        given = self._listed(cotangents)
        gradients: tuple[Any, ...] = ()
        refusal: BaseException | None = None
        try:  # the function is written as it is called, and has its name only then
            gradients = self.inner.nested_vjp(defined.traced, arrays, cotangents)
        except BaseException as error:
            refusal = error

        def answered() -> None:
            if refusal is not None:
                raise refusal

        cotangent = f"({given},)" if defined.has_several else given
        operands = self._listed(arrays)
        line = template.format(
            out=out, function=defined.name, operands=operands, cotangents=given, cotangent=cotangent
        )
        builder.attempt(line, answered)
        builder.name_parts(gradients, out)
        return gradients

    def jvp(
        self, function: Function, operands: Sequence[NDArray], tangents: Sequence[NDArray]
    ) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
        """Outputs and their tangents, of arrays made for it."""
        arrays, pushed = [*map(self.array, operands)], [*map(self.array, tangents)]
        return self._pushed(function, arrays, pushed, lambda f: self.inner.jvp(f, operands, tangents))

    def nested_jvp(
        self, function: Function, arrays: Sequence[Any], tangents: Sequence[Any]
    ) -> tuple[Any, ...]:
        """The same statement, of which only the tangents are used."""
        push = lambda f: ((), self.inner.nested_jvp(f, arrays, tangents))  # noqa: E731
        return self._pushed(function, arrays, tangents, push)[1]

    def _pushed(
        self, function: Function, arrays: Sequence[Any], tangents: Sequence[Any], push: Callable[..., Any]
    ) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
        builder, template = self.builder, self._template("jvp")
        out, pushed = builder.fresh("out"), builder.fresh("pushed")
        defined = self.defined(function)
        try:
            outputs, output_tangents = push(defined.traced)
        finally:
            defined.tried(arrays)  # where the engine refuses before it calls the function
            builder.write(
                template.format(
                    out=out,
                    pushed=pushed,
                    function=defined.name,
                    operands=self._listed(arrays),
                    tangents=self._listed(tangents),
                )
            )
        for name, values in ((out, outputs), (pushed, output_tangents)):
            builder.name_parts(values if defined.has_several else values[0] if values else (), name)
        return outputs, output_tangents

    def jacobian(self, function: Function, operands: Sequence[NDArray], kind: str = "rows") -> Sequence[Any]:
        """Whole Jacobians, of arrays made for it."""
        builder, template = self.builder, self._template(kind)
        arrays, out, defined = (
            self._listed([*map(self.array, operands)]),
            builder.fresh("out"),
            self.defined(function),
        )
        try:
            found = self.inner.jacobian(defined.traced, operands, kind)
        finally:
            builder.write(f"{out} = {template.format(function=defined.name, operands=arrays)}")
        builder.name_parts(found, out)
        return found

    def value_and_gradient(
        self,
        function: Function,
        arrays: Sequence[Any],
        wrt: int | tuple[int, ...],
        *,
        auxiliary: bool = False,
    ) -> tuple[Any, Any, Any]:
        """A value with its gradients, and what is handed on beside it."""
        builder = self.builder
        template = self._template("value_and_auxiliary" if auxiliary else "value_and_gradient")
        value, gradients, others = (builder.fresh(name) for name in ("value", "gradients", "auxiliary"))
        defined = self.defined(function)
        answer: tuple[Any, Any, Any] = (None, None, None)
        refusal: BaseException | None = None
        try:  # the function is written as it is called, and has its name only then
            answer = self.inner.value_and_gradient(defined.traced, arrays, wrt, auxiliary=auxiliary)
        except BaseException as error:
            refusal = error

        def given() -> tuple[Any, Any, Any]:
            if refusal is not None:
                raise refusal
            return answer

        line = template.format(
            value=value,
            gradients=gradients,
            auxiliary=others,
            function=defined.name,
            operands=self._listed(arrays),
            wrt=wrt,
        )
        found: tuple[Any, Any, Any] = builder.attempt(line, given)
        for part, name in zip(found, (value, gradients, others), strict=True):
            builder.name_parts(part, name)
        return found

    def gradients_within(
        self, function: Function, operands: Sequence[NDArray], cotangents: Sequence[NDArray]
    ) -> Sequence[Any]:
        """Gradients by arrays of a graph, which a function returns beside its outputs."""
        builder, template = self.builder, self._template("gradients_within")
        arrays, given = (self._listed([*map(self.array, values)]) for values in (operands, cotangents))
        out, defined = builder.fresh("out"), self.defined(function)
        try:
            found = self.inner.gradients_within(defined.traced, operands, cotangents)
        finally:
            text = template.format(function=defined.name, operands=arrays, cotangents=given)
            builder.write(f"{out} = {text}")
        builder.name_parts(tuple(found), out)
        return found

    def structured_gradient(self, function: Function, structure: Any) -> Any:
        """A gradient built as its structure is."""
        builder, template = self.builder, self._template("structured_gradient")
        spelled = written(structure, lambda x: builder.called(self.array(x)))
        out, defined = builder.fresh("out"), self.defined(function)
        try:
            gradient = self.inner.structured_gradient(defined.traced, structure)
        finally:
            builder.write(f"{out} = {template.format(function=defined.name, structure=spelled)}")
        builder.name_parts(gradient, out)
        return gradient

    # ---- functions made of functions --------------------------------------------------------------------

    def compiled(self, function: Function) -> Function:
        """A compiled function."""
        return self._made_of("compiled", function)

    def vectorized(self, function: Function) -> Function:
        """A mapped function."""
        return self._made_of("vectorized", function)

    def checkpoint(self, function: Function) -> Function:
        """A function to be recomputed."""
        return self._made_of("checkpoint", function)

    def noise(self, like: Any) -> Any:
        """Random numbers, which the script draws itself."""
        name, template = self.builder.fresh("n"), self._template("noise")
        self.builder.write(f"{name} = {template.format(array=self.builder.called(like))}")
        return self.builder.name(self.inner.noise(like), name)

    def dropout(self, x: Any, rate: float) -> Any:
        """A dropout, of which the script drops other entries."""
        name, template = self.builder.fresh("v"), self._template("dropout")
        self.builder.write(f"{name} = {template.format(array=self.builder.called(x), rate=rate)}")
        return self.builder.name(self.inner.dropout(x, rate), name)

    def _made_of(self, method: str, function: Function) -> Function:
        """What is made of a function is written where it is called: only then is it known what it does."""
        builder, template = self.builder, self._template(method)
        pending, maker = list[Function](), Maker(builder)

        def called(*operands: Any) -> Any:
            if pending:
                return pending.pop()(*operands)
            with builder.muted():  # in the backward pass, it is recomputed
                return function(*operands)

        made = getattr(self.inner, method)(called)

        def recorded(*operands: Any) -> Any:
            listed, defined = self._listed(operands), self.defined(function)
            pending.append(defined.traced)
            try:
                output = made(*operands)
                if pending:  # the engine answered from its cache of an earlier call
                    pending.pop()(*operands)
            finally:  # what raises is the call, and not what is written of the function
                pending.clear()
                target = builder.result()
                builder.built.add(defined.name)
                maker.call(target, template.format(function=defined.name), listed)
            builder.name_parts(output, target)
            return output

        return recorded

    # ---- hooks and in-place writes --------------------------------------------------------------------------

    def hook(self, array: Any, seen: Callable[[Any], Any]) -> Callable[[], None]:
        """A hook that prints what it sees, and returns what it was seen to return."""
        builder, template = self.builder, self._template("hook")
        name, remover, place = builder.fresh("hook"), builder.fresh("remove"), len(builder.rules)
        is_written: list[bool] = []
        builder.rules.append(_hook_text(name, ""))

        def shown(cotangent: Any) -> Any:
            with builder.muted():
                replacement = seen(cotangent)
            if replacement is not None and not is_written:
                is_written.append(True)
                value = self.inner.numpy(replacement)
                array = builder.dialect.array.format(values=literal(value), dtype=value.dtype.name)
                builder.rules[place] = _hook_text(name, array)
            return replacement

        builder.write(f"{remover} = {template.format(array=builder.called(array), seen=name)}")
        remove = self.inner.hook(array, shown)

        def removed() -> None:
            builder.write(f"{remover}()")
            remove()

        return removed

    def anomaly(self) -> AbstractContextManager[None]:
        """A scope."""
        return self.scope(self._template("anomaly"), self.inner.anomaly())

    def assign(self, array: Any, index: Any, value: Any) -> None:
        """A write."""
        called = self.builder.called
        place = ", ".join(map(_place, index)) if isinstance(index, tuple) and index else _place(index)
        text = self._template("assign").format(array=called(array), index=place, value=called(value))
        self.builder.attempt(text, lambda: self.inner.assign(array, index, value))


def _place(part: Any) -> str:
    """One part of an index as Python writes it."""
    return f"np.array({part.tolist()})" if isinstance(part, np.ndarray) else repr(part)


def _hook_text(name: str, replacement: str) -> str:
    return f"def {name}(g):\n    print(g)" + (f"\n    return {replacement}" if replacement else "")
