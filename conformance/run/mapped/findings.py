"""Findings: calls that an engine does not answer as the reference does."""

from __future__ import annotations

import inspect
import traceback
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from conformance.backend import Backend
from conformance.case import Case
from conformance.errors import ConformanceError, text_of
from conformance.op import Signature

OURS = Path(__file__).parents[2]
READ = (
    "the engine raised it where numpy() reads the value: if it computes later than it is called, let finish(array) "
    "wait for the value, and what is raised there is the engine's"
)
LONGEST = 200  # characters of what an exception says; some engines say in a further line what they expect


@dataclass(frozen=True)
class Finding:
    """One call that an engine does not answer as its reference does.

    Attributes:
        call: the op with its shapes and parameters.
        message: what came instead, and what was expected.
        place: where the exception was raised; empty where there was none, or where it was by none of their lines.
        explanation: what would make the answer right.
        signature: the shapes and parameters of the call.
        is_raised: whether there was an exception.
        is_value: whether it is a wrong value, of the call alone.
        is_dropped: whether it stands for all gradients of the op, or of one operand: none of them arrives.
        seed: of the call's numbers.
        dtype: that of the call, where it is another than that in which the op is tried.
    """

    call: str
    message: str
    place: str = ""
    explanation: str = ""
    signature: Signature = field(default_factory=lambda: Signature(()))
    is_raised: bool = False
    is_value: bool = False
    is_dropped: bool = False
    seed: int = 0
    dtype: str = ""


@dataclass(frozen=True)
class MappedOp:
    """What came of one op.

    Attributes:
        op: its name.
        calls: how many forms of a call were tried.
        slips: calls in which the adapter raises, or whose value is not that of the reference.
        unsteady: calls whose value is wrong after others, and right where the engine computed nothing before.
        refused: calls that the engine refuses.
        not_offered: calls for which the adapter raises Unsupported, with its reasons.
        ungradable: how the engine refuses every gradient of the op; None where it gives one.
        suspect: gradients that are wrong, or refused now and then, though the value is right: the engine's.
        lacking: the parameter values that all refused calls have, and no other.
        far: values that are wrong at operands of other magnitudes than 1 alone, the engine's or the adapter's formula's.
        contrast: the parameter whose values decide which calls are refused, in words; empty where none does.
        taken: values that are declared lacking, and with which all calls that were tried are right.
        beyond: a call with an axis that there is not, which is answered; None where all are refused.
        dtype: the dtype in which calls are answered, where it is not the first of the adapter's.
        ungradable_in: the dtype of that refusal, where another has gradients; "*" for all.
        is_given_up: whether so many calls ended the process that no others are made.
        known: how many wrong values are left out here, since they are known as the engine's.
        spoils: whether the engine computes no gradient of a product any more, since it refused one of this op's.
    """

    op: str
    calls: int
    slips: tuple[Finding, ...] = ()
    refused: tuple[Finding, ...] = ()
    not_offered: tuple[Finding, ...] = ()
    ungradable: Finding | None = None
    suspect: tuple[Finding, ...] = ()
    lacking: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    unsteady: tuple[Finding, ...] = ()
    far: tuple[Finding, ...] = ()
    contrast: str = ""
    taken: tuple[Finding, ...] = ()
    beyond: Finding | None = None
    dtype: str = ""
    ungradable_in: str = "*"
    is_given_up: bool = False
    spoils: bool = False
    known: int = 0

    @property
    def refuses_gradients(self) -> bool:
        """Whether the engine, or the adapter, refused a gradient of it."""
        return self.ungradable is not None or any(finding.is_raised for finding in self.suspect)

    def without(self, dtypes: Collection[str]) -> MappedOp:
        """What came of it, but for slips that show in other dtypes, of which the adapter's arrays are known to be wrong."""
        return replace(self, slips=tuple(slip for slip in self.slips if slip.dtype not in dtypes))

    @property
    def is_answered(self) -> bool:
        """Whether any call has a value, be it wrong."""
        return len(self.refused) + len(self.not_offered) < self.calls

    def and_in(self, dtype: str, other: MappedOp) -> MappedOp:
        """What came of it in this dtype, in which no call is answered, and in another one."""
        return replace(
            other,
            dtype=dtype if other.is_answered else "",
            calls=self.calls + other.calls,
            slips=self.slips + other.slips,
            refused=self.refused + other.refused,
            not_offered=self.not_offered + other.not_offered,
        )


def to_correct(mapped: Sequence[MappedOp]) -> list[MappedOp]:
    """The ops that the adapter has wrong: where no op has a value, those that end the process count, too."""
    is_dead = not any(op.is_answered for op in mapped)
    return [op for op in mapped if op.slips or (is_dead and op.is_given_up)]


def raised(case: Case, error: BaseException, backend: Backend, signature: Signature) -> Finding:
    """The finding of a call that raises: what it says, in one line, and its place."""
    said = shortened(" ".join(text_of(error).split()))
    name = "" if isinstance(error, ConformanceError) else f"{type(error).__name__}: "
    hint = READ if _is_raised_by_reading(error, backend) else ""
    return Finding(case.label, f"{name}{said}", place_of(error, backend), hint, signature, True)


def _is_raised_by_reading(error: BaseException, backend: Backend) -> bool:
    """Whether the engine raises within `numpy`, and the adapter waits for nothing before."""
    if type(backend).finish is not Backend.finish:
        return False
    frames = traceback.extract_tb(error.__traceback__)
    file = inspect.getfile(type(backend))
    return any(f.name == "numpy" and f.filename == file for f in frames[:-1]) and frames[-1].filename != file


def shortened(text: str) -> str:
    """A text, cut where it is long."""
    return text if len(text) <= LONGEST else text[: LONGEST - 2] + " …"


def place_of(error: BaseException, backend: Backend) -> str:
    """Where an exception was raised: the innermost line of the adapter's folder, and the innermost of all but ours.

    What this project raises itself, such as of a gradient's shape, has no line of the standard library that it passed.
    """
    frames = traceback.extract_tb(error.__traceback__)
    if not frames:
        return ""
    try:
        folder = str(Path(inspect.getfile(type(backend))).parent)
    except (OSError, TypeError):  # of a class that was made in no file
        folder = ""
    own = [f for f in frames if str(Path(f.filename).parent) == folder]
    is_ours = OURS in Path(frames[-1].filename).parents
    last = [] if is_ours else [f for f in frames if OURS not in Path(f.filename).parents]
    shown = [f"{Path(f.filename).name}:{f.lineno}" for f in (*own[-1:], *last[-1:])]
    return " → ".join(dict.fromkeys(shown))
