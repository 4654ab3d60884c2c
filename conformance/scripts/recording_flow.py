"""Recording an engine's own loops and branches, and leaves that are frozen."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from conformance.backend import Function
from conformance.scripts.recording import written
from conformance.scripts.recording_optional import RecordingOptional


class RecordingFlow(RecordingOptional):
    """A backend that writes down the loops and branches of the engine's own, too."""

    def scan(self, step: Function, carry: Any, items: Any) -> tuple[Any, Any]:
        """A loop over items."""
        defined = self.defined(step)
        result: tuple[Any, Any] = self._flowing(
            "scan",
            lambda: self.inner.scan(defined.traced, carry, items),
            lambda: {"step": defined.name, "carry": self._spelled(carry), "items": self._spelled(items)},
        )
        return result

    def while_loop(self, condition: Function, step: Function, carry: Any) -> Any:
        """A loop while a condition holds."""
        asked, defined = self.defined(condition), self.defined(step)

        def looped() -> Any:
            last = self.inner.while_loop(asked.traced, defined.traced, carry)
            defined.tried([carry])  # where there was no step
            return last

        return self._flowing(
            "while_loop",
            looped,
            lambda: {"condition": asked.name, "step": defined.name, "carry": self._spelled(carry)},
        )

    def needs_gradient(self, leaf: Any, flag: bool) -> None:
        """A leaf that is frozen, or not any more."""
        line = self._template("needs_gradient").format(leaf=self.builder.called(leaf), flag=flag)
        self.builder.attempt(line, lambda: self.inner.needs_gradient(leaf, flag))

    def branch(self, condition: Any, then: Function, otherwise: Function, operands: Sequence[Any]) -> Any:
        """A branch, whose functions are written before: an engine that traces them by their code cannot trace the writing."""
        taken, other = self.defined(then), self.defined(otherwise)
        for defined in (taken, other):
            defined.tried(operands)
        return self._flowing(
            "branch",
            lambda: self._untouched(lambda: self.inner.branch(condition, then, otherwise, operands)),
            lambda: {
                "condition": self._spelled(condition),
                "then": taken.name,
                "otherwise": other.name,
                "operands": self._listed(operands),
            },
        )

    def _untouched(self, call: Callable[[], Any]) -> Any:
        """A call within which ops are the engine's own."""
        before, self.builder.is_traced = self.builder.is_traced, True
        try:
            return call()
        finally:
            self.builder.is_traced = before

    def _spelled(self, structure: Any) -> str:
        return written(structure, self.builder.called)

    def _flowing(self, method: str, call: Callable[[], Any], named: Callable[[], dict[str, str]]) -> Any:
        """A call of functions that are written as the engine calls them, and have their names only then."""
        builder, template = self.builder, self._template(method)
        try:
            result = call()
        finally:
            target = builder.result()
            builder.write(f"{target} = {template.format(**named())}")
        builder.name_parts(result, target)
        return result
