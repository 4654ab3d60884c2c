"""Random histories of pullbacks: taken and called in any order."""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.stateful import initialize, precondition, rule

from conformance.case import Array
from conformance.history import Verb
from conformance.oracle.pullbacks import Pullbacks
from conformance.strategies.machine import BINARY, SHAPES, Data, Drawing

MOST_PULLBACKS = 4  # a compiler compiles each of them


class PullbackCalls(Drawing):
    """Pullbacks taken and called in any order, with what raises, is refused or is traced in between."""

    per_program = 0.5  # a compiler compiles each function

    def __init__(self) -> None:
        super().__init__()
        self.definition = Pullbacks(type(self).find)

    @initialize(data=st.data())
    def constants(self, data: Data) -> None:
        """Three to choose from."""
        for shape in (*SHAPES[:2], data.draw(st.sampled_from(SHAPES[:2]))):
            self.add(Verb.CONSTANT, makes=True, array=self.array(data, shape))

    @precondition(lambda self: len(self.definition.programs) < MOST_PULLBACKS)
    @rule(data=st.data())
    def take(self, data: Data) -> None:
        """A pullback, of every fourth a rule raises."""
        self._take(data, Verb.PULLBACK, (), is_broken=data.draw(st.integers(0, 3)) == 3)

    @precondition(lambda self: self.calls[-1].verb is not Verb.PULLBACK_RAISING)
    @rule(data=st.data())
    def raise_(self, data: Data) -> None:
        """A function that raises while it is traced."""
        self._take(data, Verb.PULLBACK_RAISING, (), is_broken=False)

    @precondition(lambda self: self._whole() and len(self.definition.programs) < MOST_PULLBACKS)
    @rule(data=st.data())
    def pull_within(self, data: Data) -> None:
        """A pullback of a function in which another one is called."""
        within = data.draw(st.sampled_from(sorted(self._whole())))
        cotangent = self.array(data, self._shape(within))
        self._take(data, Verb.PULL_WITHIN, (within,), is_broken=False, array=cotangent)

    @precondition(lambda self: self.definition.programs)
    @rule(data=st.data())
    def pull(self, data: Data) -> None:
        """A call of a pullback."""
        of = data.draw(st.sampled_from(sorted(self.definition.programs)))
        self.add(Verb.PULL, of, array=self.array(data, self._shape(of)))

    @precondition(lambda self: len(self.definition.programs) > 1)
    @rule(data=st.data())
    def pull_each(self, data: Data) -> None:
        """A call of every pullback."""
        for of in sorted(self.definition.programs):
            self.add(Verb.PULL, of, array=self.array(data, self._shape(of)))

    @precondition(lambda self: self.definition.programs)
    @rule(data=st.data())
    def refuse(self, data: Data) -> None:
        """A cotangent of another shape, which does not broadcast to the right one."""
        of = data.draw(st.sampled_from(sorted(self.definition.programs, reverse=True)))
        self.add(Verb.PULL_MISSHAPEN, of, array=self.array(data, (3, *self._shape(of))))

    def _take(
        self, data: Data, verb: Verb, within: tuple[int, ...], *, is_broken: bool, array: Array | None = None
    ) -> None:
        """A function of one or two constants, which depends on all of them."""
        of = data.draw(st.lists(st.sampled_from(sorted(self.definition.constants)), min_size=1, max_size=2))
        count, steps = len(of) + len(within), []
        for number in range(max(1, count - 1) + data.draw(st.integers(0, 2))):
            latest = count + number - 1 if number else 0
            other = number + 1 if number < count - 1 else data.draw(st.integers(0, latest))
            steps.append((data.draw(st.sampled_from(BINARY)), (latest, other)))
        makes = verb is not Verb.PULLBACK_RAISING
        parameters = {"steps": tuple(steps), "is_broken": is_broken}
        self.add(verb, *within, *of, makes=makes, array=array, parameters=parameters)

    def _whole(self) -> set[int]:
        whole: set[int] = set(self.definition.programs) - self.definition.broken
        return whole

    def _shape(self, number: int) -> tuple[int, ...]:
        return tuple(self.definition.shape(number))
