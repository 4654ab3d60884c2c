"""Mutants that call hooks wrongly."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from conformance_backends import numpy_engine as engine
from conformance_backends.mutants.mutant import Mutant, behaviour

Seen = Callable[[Any], Any]


def never_called(self: Any, array: Any, seen: Seen) -> Callable[[], None]:
    """The hook is accepted, but not registered."""
    return lambda: None


def called_per_contribution(self: Any, array: Any, seen: Seen) -> Callable[[], None]:
    """The hook is called as often as there are contributions, here two equal ones."""

    def halves(cotangent: Any) -> None:
        for _ in range(2):
            seen(cotangent / 2)

    return engine.hook(array, halves)


def sum_so_far(self: Any, array: Any, seen: Seen) -> Callable[[], None]:
    """At a second backward the hook on a leaf sees what has accumulated."""

    def with_the_rest(cotangent: Any) -> Any:
        return seen(cotangent if array.grad is None else cotangent + array.grad)

    return engine.hook(array, with_the_rest)


def called_once_ever(self: Any, array: Any, seen: Seen) -> Callable[[], None]:
    """The hook is removed when it has been called."""
    removers: list[Callable[[], None]] = []

    def once(cotangent: Any) -> Any:
        removers[0]()
        return seen(cotangent)

    removers.append(engine.hook(array, once))
    return removers[0]


def joins_the_hooks_before(self: Any, array: Any, seen: Seen) -> Callable[[], None]:
    """A hook joins those that were set on the array before, though it was written since."""
    node = self.kept.setdefault(id(array), array.node)
    node.hooks = (*node.hooks, (0, seen))
    return lambda: None


def last_comes_first(self: Any, array: Any, seen: Seen) -> Callable[[], None]:
    """Hooks are called in the reverse of the order in which they came."""
    hooks = self.kept.setdefault(id(array), [])

    def reverse(cotangent: Any) -> Any:
        for each in reversed(hooks):
            replacement = each(cotangent)
            cotangent = cotangent if replacement is None else replacement
        return cotangent

    hooks.append(seen)
    if len(hooks) == 1:
        engine.hook(array, reverse)
    return lambda: hooks.remove(seen)


def counted_on_the_way(self: Any, array: Any, seen: Seen) -> Callable[[], None]:
    """Hooks are counted while they are called, so that one that removes itself moves the next out of its turn."""
    hooks = self.kept.setdefault(id(array), [])

    def each_in_turn(cotangent: Any) -> Any:
        number = 0
        while number < len(hooks):
            replacement = hooks[number](cotangent)
            cotangent = cotangent if replacement is None else replacement
            number += 1
        return cotangent

    hooks.append(seen)
    if len(hooks) == 1:
        engine.hook(array, each_in_turn)
    return lambda: hooks.remove(seen)


def unreplaced(self: Any, array: Any, seen: Seen) -> Callable[[], None]:
    """What a hook returns is ignored."""

    def look(cotangent: Any) -> None:
        seen(cotangent)

    return engine.hook(array, look)


def none_is_zero(self: Any, array: Any, seen: Seen) -> Callable[[], None]:
    """A hook that returns None has replaced the cotangent by zeros."""

    def replace(cotangent: Any) -> Any:
        replacement = seen(cotangent)
        return cotangent * 0 if replacement is None else replacement

    return engine.hook(array, replace)


def never_removed(self: Any, array: Any, seen: Seen) -> Callable[[], None]:
    """A hook stays."""
    engine.hook(array, seen)
    return lambda: None


def removed_with_the_rest(self: Any, array: Any, seen: Seen) -> Callable[[], None]:
    """Removing one hook removes all of its value."""
    removers = self.kept.setdefault(id(array), [])
    removers.append(engine.hook(array, seen))

    def remove_all() -> None:
        for remove in removers:
            remove()

    return remove_all


def kept_under_their_count(self: Any, array: Any, seen: Seen) -> Callable[[], None]:
    """Hooks have the number of those that are there: one that is set after a removal takes the place of another."""
    hooks = self.kept.setdefault(id(array), {})
    number = len(hooks)
    if number in hooks:
        hooks.pop(number)()
    hooks[number] = engine.hook(array, seen)
    return lambda: hooks.pop(number)() if number in hooks else None


EACH = "contract/C9/each-backward"
ONCE = "contract/C9/once"
ORDER = "contract/C9/order"
REMOVED = "contract/C9/removed"


def not_on_reductions(self: Any, array: Any, seen: Seen) -> Callable[[], None]:
    """What a hook on a mean returns is ignored."""
    is_mean = array.node is not None and array.node.name == "mean"
    return engine.hook(array, (lambda c: (seen(c), None)[1]) if is_mean else seen)


def next_one_is_left_out(self: Any, array: Any, seen: Seen) -> Callable[[], None]:
    """Removing a hook removes the one after it too."""
    remove, node = engine.hook(array, seen), array.node

    def remove_two() -> None:
        before = list(node.hooks)
        remove()
        missing = [n for n, hook in enumerate(before) if hook not in node.hooks]
        if missing and missing[0] + 1 < len(before):
            node.hooks = tuple(h for h in node.hooks if h is not before[missing[0] + 1])

    return remove_two


def constant_when_recorded(self: Any, array: Any, seen: Seen) -> Callable[[], None]:
    """What a hook returns is a constant, also where the backward pass is recorded."""

    def show(cotangent: Any) -> Any:
        replacement = seen(cotangent)
        return None if replacement is None else engine.detach(replacement)

    return engine.hook(array, show)


def silent_where_one_goes(self: Any, array: Any, seen: Seen) -> Callable[[], None]:
    """What a hook returns is ignored where it removes an earlier one."""
    node = array.node

    def compared(cotangent: Any) -> Any:
        first = node.hooks[0]
        replacement = seen(cotangent)
        return replacement if node.hooks and node.hooks[0] is first else None

    return engine.hook(array, compared)


def another_at_the_second_call(self: Any, array: Any, seen: Seen) -> Callable[[], None]:
    """Removing a hook again removes the first of those that are left."""
    remove, node = engine.hook(array, seen), array.node
    removed: list[bool] = []

    def once_more() -> None:
        remove()
        node.hooks = node.hooks[1:] if removed else node.hooks
        removed.append(True)

    return once_more


def known_by_its_function(self: Any, array: Any, seen: Seen) -> Callable[[], None]:
    """A function that is a hook of the value already is not registered again."""
    hooks = self.kept.setdefault(id(array), (array, {}))[1]
    if seen not in hooks:
        hooks[seen] = engine.hook(array, seen)
    remove: Callable[[], None] = hooks[seen]
    return remove


def cleared_with_its_hooks(self: Any, leaf: Any) -> None:
    """The leaf starts anew, without its hooks."""
    leaf.grad, leaf.node.hooks = None, ()


def hooks_follow(self: Any, array: Any, index: Any, value: Any) -> None:
    """The hooks of what is overwritten are hooks of what it becomes."""
    hooks = array.node.hooks if array.node is not None else ()
    array[index] = value
    if array.node is not None:
        array.node.hooks += hooks


MUTANTS: tuple[Mutant, ...] = (
    behaviour("hook-before-the-write", "A hook set after a write joins those that were set before it.",
        ("contract/C9/after-write",), hook=joins_the_hooks_before),
    behaviour("hook-follows-a-write", "A hook set before a write is one of the array as it is after it, too.",
        ("contract/C9/after-write",), assign=hooks_follow),
    behaviour("hook-never-called", "A hook is never called.",
        (ONCE, EACH, ORDER, REMOVED, "capability/hooks"), hook=never_called),
    behaviour("hook-per-contribution", "A hook is called for every contribution, before they are summed.",
        (ONCE, EACH), hook=called_per_contribution),
    behaviour("hook-sees-sum-so-far", "A hook on a leaf receives the accumulated gradient.", (EACH,), hook=sum_so_far),
    behaviour("hook-called-once", "A hook is removed after its first call.", (EACH,), hook=called_once_ever),
    behaviour("hooks-in-reverse", "The last hook of a value is called first.", (ORDER, REMOVED), hook=last_comes_first),
    behaviour("hook-replaces-nothing", "What a hook returns is ignored.", (ORDER,), hook=unreplaced),
    behaviour("hook-none-is-zero", "A hook that returns None replaces the cotangent by zeros.",
        (ONCE, ORDER, REMOVED), hook=none_is_zero),
    behaviour("hook-never-removed", "A removed hook is still called.", (REMOVED,), hook=never_removed),
    behaviour("hooks-removed-together", "Removing one hook removes all hooks of its value.",
        (REMOVED,), hook=removed_with_the_rest),
    behaviour("hook-on-mean-ignored", "What a hook on a mean returns is ignored.",
        ("contract/C9/every-op",), hook=not_on_reductions),
    behaviour("hook-removes-the-next", "Removing a hook removes the next one too.",
        ("contract/C9/removed-by-hooks", "contract/C9/removed"), hook=next_one_is_left_out),
    behaviour("hook-skipped-by-removal", "A hook that removes itself keeps the next one from being called in that pass.",
        ("contract/C9/removed-by-hooks",), hook=counted_on_the_way),
    behaviour("hook-returns-constants", "What a hook returns is a constant in a recorded backward pass.",
        ("contract/C9/recorded-backward",), hook=constant_when_recorded),
    behaviour("hook-silent-where-one-goes", "What a hook returns is ignored where it removes the first hook.",
        ("contract/C9/removed-by-hooks",), hook=silent_where_one_goes),
    behaviour("hook-known-by-its-function", "A function that is a hook of a value already is not registered again.",
        ("contract/C9/same-function",), hook=known_by_its_function),
    behaviour("clearing-drops-hooks", "Clearing a leaf's gradient removes its hooks.", (EACH,), clear=cleared_with_its_hooks),
    behaviour("hook-takes-anothers-place", "A hook that is set after another was removed takes the place of a third.",
        (REMOVED,), hook=kept_under_their_count),
    behaviour("hook-removed-twice", "Removing a hook a second time removes another one.",
        (REMOVED,), hook=another_at_the_second_call),
)  # fmt: skip
