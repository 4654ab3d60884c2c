"""Shortening: from all the calls of a check to those that show the failure.

A check makes many calls before one of them fails. Of the script that recorded them all, this keeps the
prints that show the failure with whatever they depend on, makes nothing twice, and writes in one line
what is used once.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Sequence

from conformance.scripts.formulas import RAISED
from conformance.scripts.threads import is_of_other_thread

Names = frozenset[str]
LONGEST = 20_000  # statements of which those are sought that bear on the failure
MOST = 1000  # of these, that are written shorter: what it costs grows with their square
CALLS = 4  # of a built function that are kept beside those that are shown


def shortened(
    text: str, shown: Sequence[str] | None, effects: Names = frozenset(), built: Names = frozenset()
) -> str:
    """The script without what does not bear on the failure.

    `shown` are the lines whose printing shows it, as the engine's dialect has them; all that print, where it is None.
    What is imported for its `effects` stays. Functions that are `built`, such as a custom rule, may keep something from
    one call to the next: the calls beside one that is shown stay, too.
    """
    statements = ast.parse(text).body
    if shown is not None and len(statements) <= LONGEST:
        printing = {ast.unparse(ast.parse(line)) for line in shown}
        prints = [s for s in statements if _prints(s, printing)]
        statements = _sliced(statements, prints, effects, built)
    if len(statements) > MOST:
        return text
    if not any(_writes_memory(s) for s in statements):
        statements = _made_once(statements)
    statements = _without_unused_imports(_inlined(statements), effects)
    lines = "\n".join(map(ast.unparse, statements)).splitlines()
    return "\n".join(line for line in lines if line)


# ---- what a statement reads, makes and changes -------------------------------------------------


def _read(node: ast.AST) -> Names:
    return frozenset(n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load))


def _made(statement: ast.stmt) -> Names:
    if isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
        return frozenset({statement.name})
    if isinstance(statement, (ast.Import, ast.ImportFrom)):
        return frozenset(a.asname or a.name.partition(".")[0] for a in statement.names)
    return frozenset(
        n.id for n in ast.walk(statement) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
    )


def _printed(statement: ast.stmt) -> str | None:
    match statement:
        case ast.Expr(ast.Call(ast.Name("print"), [argument])):
            return ast.unparse(argument)
    return None


def _prints(statement: ast.stmt, printing: Collection[str]) -> bool:
    """Whether it is one of these prints, or a block of another thread that has one."""
    within = (
        statement.body if isinstance(statement, ast.With) and is_of_other_thread(statement) else [statement]
    )
    return any(ast.unparse(each) in printing for each in within)


def _writes_memory(statement: ast.stmt) -> bool:
    return any(
        isinstance(n, (ast.Subscript, ast.Attribute)) and isinstance(n.ctx, ast.Store)
        for n in ast.walk(statement)
    )


def _changes_something(statement: ast.stmt) -> bool:
    """Whether it is there for its effect on what it reads: a backward pass, a write, a hook, a block, a setting."""
    is_call = isinstance(statement, ast.Expr) and _printed(statement) is None
    is_call |= any(name.startswith("remove") for name in _made(statement))  # a hook, by what removes it
    return is_call or _writes_memory(statement) or isinstance(statement, (ast.With, ast.Try))


# ---- keeping what matters --------------------------------------------------------------------------


def _sliced(
    statements: Sequence[ast.stmt], prints: Sequence[ast.stmt], effects: Names, built: Names
) -> list[ast.stmt]:
    """The prints, and every statement that bears on a name they need; where the script raised, its end too."""
    ends = [*prints] if _printed(statements[-1]) else [*prints, statements[-1]]
    behind = _ancestry(statements)
    kept = _closed(statements, _bearing(statements, ends, effects, behind))
    if beside := _calls_beside(statements, kept, ends, built, behind):
        kept = _closed(statements, _bearing(statements, [*ends, *beside], effects, behind))
    return kept


def _bearing(
    statements: Sequence[ast.stmt], ends: Sequence[ast.stmt], effects: Names, behind: dict[str, Names]
) -> list[ast.stmt]:
    """The ends, and every statement that bears on a name they need."""
    own = _own(statements)

    def touched(statement: ast.stmt) -> Names:
        names = _read(statement) & own
        return names.union(*(behind.get(name, frozenset()) for name in names))

    needed = effects.union(*map(touched, ends))
    written = frozenset[str]().union(*(touched(s) for s in statements if _writes_memory(s)))
    fixed = frozenset[str]().union(*(_made(s) for s in statements if _is_constant(s, behind))) - written
    kept = []
    for statement in statements:
        is_setting = not _made(statement) and _printed(statement) is None and not touched(statement)
        bears = _changes_something(statement) and bool((touched(statement) - fixed) & needed)
        bears |= is_of_other_thread(statement)  # which does its work beside
        bears |= isinstance(statement, ast.Try) and RAISED in touched(
            statement
        )  # what is done after it shows it
        if statement in ends or is_setting or bears or _made(statement) & needed:
            kept.append(statement)
            needed |= touched(statement)
    return kept


def _calls_beside(
    statements: Sequence[ast.stmt],
    kept: Sequence[ast.stmt],
    ends: Sequence[ast.stmt],
    built: Names,
    behind: dict[str, Names],
) -> list[ast.stmt]:
    """The last calls before the end of built functions that what is kept calls as well."""
    defined = {s.name for s in statements if isinstance(s, ast.FunctionDef)}
    built |= {name for name in defined if behind.get(name, frozenset()) & built}
    calls: dict[ast.stmt, Names] = {
        s: _read(s) & built for s in statements if isinstance(s, ast.Assign) and not _made(s) & built
    }  # and no definitions
    shown = frozenset[str]().union(*(calls.get(s, frozenset()) for s in kept))
    last = max((statements.index(s) for s in ends), default=0)
    return [s for s in statements[:last] if calls.get(s, frozenset()) & shown and s not in kept][-CALLS:]


def _closed(statements: Sequence[ast.stmt], kept: Iterable[ast.stmt]) -> list[ast.stmt]:
    """What is kept, with everything that makes a name it reads."""
    chosen = list(kept)
    while True:
        read = frozenset().union(*map(_read, chosen))
        missing = [s for s in statements if s not in chosen and _made(s) & read]
        if not missing:
            return [s for s in statements if s in chosen]
        chosen += missing


def _own(statements: Sequence[ast.stmt]) -> Names:
    """The names that the script itself makes; what it imports, and Python's own, count for nothing."""
    makers = [s for s in statements if not isinstance(s, (ast.Import, ast.ImportFrom))]
    return frozenset[str]().union(*map(_made, makers))


def _ancestry(statements: Sequence[ast.stmt]) -> dict[str, Names]:
    """For every name of the script's own, the names it was made from, near and far."""
    own = _own(statements)
    behind: dict[str, Names] = {}
    for statement in statements:
        parents = _read(statement) & own
        all_behind = parents.union(*(behind.get(p, frozenset()) for p in parents))
        for name in _made(statement) & own:
            behind[name] = behind.get(name, frozenset()) | all_behind
    return behind


def _is_constant(statement: ast.stmt, behind: dict[str, Names]) -> bool:
    """Whether it makes an array of numbers or defines a function: a backward pass changes neither."""
    if isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
        return True
    names = _made(statement)
    return bool(names) and all(name.startswith("c") and not behind.get(name) for name in names)


# ---- making nothing twice ---------------------------------------------------------------------------


class _Renaming(ast.NodeTransformer):
    def __init__(self) -> None:
        self.names: dict[str, str] = {}

    def visit_Name(self, node: ast.Name) -> ast.Name:
        return ast.Name(self.names.get(node.id, node.id), node.ctx)


def _made_once(statements: Sequence[ast.stmt]) -> list[ast.stmt]:
    """Names of equal constants, and of equal results of functional calls, stand for one thing."""
    renaming, kept = _Renaming(), []
    seen: dict[str, list[str]] = {}
    has_backward = any(_changes_something(s) for s in statements if not _is_setting(s))
    for statement in statements:
        if not isinstance(statement, ast.Assign):
            kept.append(renaming.visit(statement))
            continue
        value = renaming.visit(statement.value)
        key, names = (
            ast.unparse(value),
            [n.id for n in ast.walk(statement.targets[0]) if isinstance(n, ast.Name)],
        )
        may_share = not has_backward or all(name.startswith("c") for name in names)
        if may_share and key in seen and len(seen[key]) == len(names):
            renaming.names.update(zip(names, seen[key], strict=True))
            continue
        seen[key] = names
        kept.append(statement)
    return kept


def _is_setting(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and ".config." in ast.unparse(statement)


# ---- writing in one line what is used once ---------------------------------------------------------


class _Filling(ast.NodeTransformer):
    def __init__(self, name: str, value: ast.expr) -> None:
        self.name, self.value = name, value

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self.value if node.id == self.name and isinstance(node.ctx, ast.Load) else node


def _inlined(statements: Sequence[ast.stmt]) -> list[ast.stmt]:
    """A result that only the next print or return uses is written there."""
    kept: list[ast.stmt] = []
    for position, statement in enumerate(statements):
        if isinstance(statement, ast.FunctionDef):
            statement.body = _inlined(statement.body)
        previous = kept[-1] if kept else None
        match previous:
            case ast.Assign([ast.Name(name)], value) if _is_last_use(
                name, statement, statements[position + 1 :]
            ):
                kept[-1] = ast.fix_missing_locations(_Filling(name, value).visit(statement))
                continue
        kept.append(statement)
    return kept


def _is_last_use(name: str, statement: ast.stmt, later: Sequence[ast.stmt]) -> bool:
    if not (isinstance(statement, ast.Return) or _printed(statement) is not None):
        return False
    uses = sum(isinstance(n, ast.Name) and n.id == name for n in ast.walk(statement))
    return uses == 1 and not any(name in _read(s) for s in later)


def _without_unused_imports(statements: Sequence[ast.stmt], effects: Names) -> list[ast.stmt]:
    read = effects.union(*(_read(s) for s in statements))
    kept = []
    for statement in statements:
        if isinstance(statement, (ast.Import, ast.ImportFrom)):
            statement.names = [a for a in statement.names if (a.asname or a.name.partition(".")[0]) in read]
            if not statement.names:
                continue
        kept.append(statement)
    return kept
