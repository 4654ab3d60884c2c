"""A claim about each of many members: all are asked, and a failure names every one that fails."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from conformance.backend import Backend
from conformance.checks.engine_calls import is_refusal
from conformance.checks.members import Member, is_right_alone
from conformance.checks.observation import Answer
from conformance.checks.registry import NotThisCase
from conformance.errors import is_violation, joined

Hold = Callable[[int, Member, Answer], None]


def hold_for_each(
    engine: Backend, of: Iterable[Member], hold: Hold, first: int = 0, *, is_excused: bool = True
) -> None:
    """Claim something of members, given their numbers from `first` on, they, and the engine's answers alone.

    Every member is asked, whatever those before it do. Raises what `hold` raises of the first that fails; it says
    what is raised of the others, too. Where it `is_excused`, none does where the engine's gradient of the call alone is wrong, which the checks
    of the op report. What is no answer of the engine's, such as Unsupported, is raised where no member fails.
    NotThisCase where the engine answers none.
    """
    count, failed, declined = 0, list[tuple[int, Member, Exception]](), list[Exception]()
    for number, member in enumerate(of, start=first):
        try:
            hold(number, member, member.answer(engine))
            count += 1
        except NotThisCase:
            continue
        except MemoryError:  # what is kept of it would take more
            raise
        except Exception as failure:
            if is_excused and not is_right_alone(engine, member):
                continue
            if is_refusal(failure) or is_violation(failure):
                failed.append((number, member, failure))
            else:
                declined.append(failure)
    if failed:
        _fail(engine, failed, hold)
    if declined:
        raise declined[0]
    if not count:
        raise NotThisCase("the engine has none of this sample's ops")


def _fail(engine: Backend, failed: list[tuple[int, Member, Exception]], hold: Hold) -> None:
    """Raise the first failure; the member is asked again, so that a script of the question ends with it."""
    number, member, failure = failed[0]
    try:
        hold(number, member, member.answer(engine))
    except Exception as again:
        failure = again if type(again) is type(failure) else failure
    raise joined([(str(member), failure), *((str(other), theirs) for _, other, theirs in failed[1:])])
