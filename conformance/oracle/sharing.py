"""Which values of a history share memory, where an engine's views do: writing one writes them all.

A forest, in which a view hangs below what it was made of. Whether a reshape copies depends on how its operand
lies in memory. No engine documents how a detached value, or a view taken in a no_grad scope, follows a later write.
Such a tree is unclear, and histories do not write into it.
"""

from __future__ import annotations

from conformance.history import Call, Verb
from conformance.ops.names import GETITEM, PERMUTE_DIMS, RESHAPE

VIEWING = (GETITEM, PERMUTE_DIMS)


class Sharing:
    """The views so far.

    Attributes:
        made: for the number of a view, the call that made it.
    """

    def __init__(self) -> None:
        self.made: dict[int, Call] = {}
        self._unclear: set[int] = set()

    def note(self, call: Call, *, is_recorded: bool) -> None:
        """Note what a call makes, if it may be a view."""
        if call.made is None or not (call.verb is Verb.DETACH or call.op in (*VIEWING, RESHAPE)):
            return
        self.made[call.made] = call
        if call.op not in VIEWING or not is_recorded:
            self._unclear.add(self.root(call.made))

    def root(self, number: int) -> int:
        """The value at the top of a value's tree."""
        while number in self.made:
            number = self.made[number].of[0]
        return number

    def tree(self, number: int) -> list[int]:
        """The values that share a value's memory, itself among them, each behind what it is a view of."""
        root = self.root(number)
        return [root, *(view for view in self.made if self.root(view) == root)]

    def is_clear(self, number: int) -> bool:
        """Whether it is certain which values share its memory."""
        return self.root(number) not in self._unclear
