"""What `explain` says of an op: its rule, its domain, an example computed by the rule itself."""

from __future__ import annotations

import inspect
import itertools
import math
import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from conformance.cli.console import MACRON, Page, names_of, number, parameters_of, simplest
from conformance.cli.explain_calls import list_calls
from conformance.cli.pages.explain_point import list_points
from conformance.op import Domain, Op, OperandKind, Signature, Trait
from conformance.ops import FAMILIES

ROUND = (1.0, -2.0, 3.0, 0.5, -1.0, 2.0, -0.5, 0.25, -3.0, 1.5, -0.25, 0.75, -1.5)
UPSTREAM = (2.0, -1.0, 0.5, 3.0, -2.0, 1.0)  # not 1 first: a loss of one number would hide the factor
NUDGE = 1e-3
LISTED, BEGINNING = 16, 6  # entries of a list that is shown whole, and of a longer one

WHY_UPSTREAM = (
    "Where z has several entries, “the derivative of z” is not one number per entry of an operand but one for "
    "every pair of entries: the Jacobian J. It is never stored. What learning needs is how a single number at "
    "the very end, the loss L, depends on each operand, and the chain rule gives that as Jᵀ · ∂L/∂z.",
    "The factor g = ∂L/∂z comes from upstream: the ops after this one have already worked it out. The rule "
    "makes Jᵀg of it without ever forming J, and passes the result on as the upstream gradient of the op "
    "before. That is all of backpropagation.",
    "If z is the loss itself, nothing comes after it and g is 1. So backward() wants no argument there, and "
    "wants one everywhere else. An engine that forgets the factor is right only where g happens to be 1.",
)

FLATNESS = (
    "The op is flat: where its operands change a little, its value does not. So its gradient is zero, and "
    "engines say that in several ways, with zeros, with None, or by refusing; clause E19 holds each to its own."
)

KINDS = {
    OperandKind.DISTINCT: "real numbers, no two of them equal: at a tie the op has a kink",
    OperandKind.INVERTIBLE: "matrices that have a well-behaved inverse (the last two axes)",
    OperandKind.POSITIVE_DEFINITE: "symmetric positive definite matrices (the last two axes)",
    OperandKind.BOOLEAN: "truth values; nothing flows back to them",
    OperandKind.INDEX: "integers, such as those that point into an axis; nothing flows back to them",
}


def explain_op(op: Op, page: Page) -> None:
    """The whole page of an op."""
    family = next(name for name, rows in FAMILIES.items() if op in rows)
    also = f" · also called {', '.join(op.aliases)}" if op.aliases else ""
    page.title(f"{op.name} · {family.replace('_', ' ')}{also}")
    page.text(
        f"{purpose(op)} Here z is the result, and g the upstream gradient: one number for each entry of z."
    )
    page.heading("The rule")
    page.line(op.formula)
    page.line(f"Where it comes from: {op.source}.")
    if op.is_flat:
        page.text(FLATNESS)
    page.text("A bar marks the gradient of what is under it; it always has the shape of that operand.")
    _operands(op, page)
    _parameters(op, page)
    list_calls(op, page)
    list_points(op, page)
    _example(worked(op), page)
    page.heading("Why there is an upstream gradient")
    for position, paragraph in enumerate(WHY_UPSTREAM):
        page.text(paragraph, is_apart=position > 0)
    page.heading("Further")
    for command, why in _further(op, family):
        page.line(f"conformance {command:{34}} {why}")


def purpose(op: Op) -> str:
    """The first sentence of the reference's docstring."""
    paragraphs = (inspect.getdoc(op.reference) or "").split("\n\n")
    is_call = re.compile(r"\w+\(.*\)", re.DOTALL).fullmatch  # with which NumPy's docstrings begin
    said = [p for p in paragraphs if p.strip() and not is_call(p.strip())]
    text = (
        " ".join(said[0].split())
        if said
        else f"The function {op.name}, whose definition in NumPy stands below, at: To map it."
    )
    text = text.removesuffix(" Specifically,")  # what NumPy introduces a list with
    return text if text.endswith(".") else text + "."


# ---- operands, parameters -------------------------------------------------------------------------


def _operands(op: Op, page: Page) -> None:
    signature = simplest(op)
    domains = signature.domains or tuple(op.domain(i) for i in range(len(signature.shapes)))
    page.heading("Operands")
    for name, domain in zip(names_of(op, len(domains)), domains, strict=True):
        page.line(f"{name}: {in_words(domain)}")
    if Trait.VARIADIC in op.traits:
        page.line("…as many as there are")


def in_words(domain: Domain) -> str:
    """Where an operand lives, as a sentence's end."""
    if domain.kind in KINDS:
        return KINDS[domain.kind]
    if domain.low > -math.inf and domain.high < math.inf:
        text = f"real numbers between {number(domain.low)} and {number(domain.high)}, ends excluded"
    elif domain.low > -math.inf:
        text = f"real numbers above {number(domain.low)}"
    else:
        text = f"real numbers below {number(domain.high)}" if domain.high < math.inf else "real numbers"
    kinks = " and ".join(map(number, domain.kinks))
    return text + (f"; not differentiable at {kinks}" if kinks else "")


def _parameters(op: Op, page: Page) -> None:
    parameters = parameters_of(op)
    if not parameters:
        return
    page.heading("Parameters, with values they are tried at")
    for name, values in parameters.items():
        shown = " | ".join(map(brief, values[:6])) + (" | …" if len(values) > 6 else "")
        page.line(f"{name}: {shown}")


def brief(value: Any) -> str:
    """A parameter's value as Python writes it; of a long list the beginning, and how many there are."""
    if isinstance(value, (list, tuple)) and len(value) > LISTED:
        beginning = ", ".join(map(repr, value[:BEGINNING]))
        return f"[{beginning}, … {len(value)} in all]"
    return repr(value)


# ---- the example ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Worked:
    """A small call, its upstream gradient, and what the rule gives."""

    op: Op
    operands: list[Any]
    parameters: dict[str, Any]
    output: Any
    upstream: Any
    gradients: dict[int, Any]

    def weighted(self, operands: Sequence[Any]) -> float:
        """⟨g, z⟩: the single number whose gradient the rule gives."""
        z = self.op.reference(*operands, **self.parameters)
        pairs = zip(self.upstream, z, strict=True) if self.op.has_several_outputs else [(self.upstream, z)]
        return float(sum(np.sum(g * part) for g, part in pairs))

    def steepest(self) -> tuple[int, tuple[int, ...]]:
        """The operand and the entry with the largest gradient."""
        index = max(self.gradients, key=lambda i: np.abs(self.gradients[i]).max(initial=0.0))
        gradient = np.abs(self.gradients[index])
        return index, tuple(int(i) for i in np.unravel_index(int(np.argmax(gradient)), gradient.shape))

    def measured(self, index: int, entry: tuple[int, ...]) -> float:
        """The gradient at one entry, by a central difference."""
        values = []
        for step in (NUDGE, -NUDGE):
            operands = [np.array(x) for x in self.operands]
            operands[index][entry] += step
            values.append(self.weighted(operands))
        return (values[0] - values[1]) / (2 * NUDGE)


def worked(op: Op, signature: Signature | None = None) -> Worked:
    """A call in round numbers: the simplest that the op's law allows, unless one is given."""
    signature = signature or simplest(op)
    domains = signature.domains or tuple(op.domain(i) for i in range(len(signature.shapes)))
    pools: dict[Domain, Iterator[float]] = {}
    operands = [_round(d, shape, pools) for d, shape in zip(domains, signature.shapes, strict=True)]
    parameters = dict(signature.parameters)
    output = op.reference(*operands, **parameters)
    parts = output if op.has_several_outputs else (output,)
    cycle = itertools.cycle(UPSTREAM)
    upstreams = tuple(_filled(np.shape(part), cycle) for part in parts)
    upstream = upstreams if op.has_several_outputs else upstreams[0]
    gradients = {
        i: np.asarray(op.rule(i, upstream, output, *operands, **parameters))
        for i in range(len(operands))
        if op.is_differentiable(i)
    }
    return Worked(op, operands, parameters, output, upstream, gradients)


def _filled(shape: tuple[int, ...], numbers: Iterator[float]) -> Any:
    return np.array(list(itertools.islice(numbers, math.prod(shape)))).reshape(shape)


def _round(domain: Domain, shape: tuple[int, ...], pools: dict[Domain, Iterator[float]]) -> Any:
    """Round numbers of a domain; operands of one domain go on where the one before stopped."""
    if domain.kind is OperandKind.BOOLEAN:
        return np.arange(math.prod(shape)).reshape(shape) % 2 == 0
    if domain.kind is OperandKind.INDEX:
        first, count = int(domain.low), int(domain.high - domain.low)
        return first + np.arange(math.prod(shape)).reshape(shape) % count
    if domain.is_separated:
        return np.ones(shape) + np.eye(shape[-2], shape[-1]) * np.arange(1, 1 + shape[-1])
    if domain.kind is OperandKind.INVERTIBLE:
        matrices = domain.as_matrices(np.ones(shape))
        return domain.as_tensor(np.triu(matrices) + np.eye(*matrices.shape[-2:]), shape)
    if domain.kind is OperandKind.POSITIVE_DEFINITE:
        return np.ones(shape) + np.eye(shape[-1])
    if domain not in pools:
        low, high = max(domain.low, -4.0), min(domain.high, 4.0)
        few = [v for v in ROUND if low < v < high] or [domain.low + v for v in ROUND if v > 0]
        few = [v for v in few if v not in domain.kinks]
        if len(few) == 1:  # operands of one number alone show little
            few = [low + (high - low) * part for part in (0.5, 0.25, 0.75, 0.375, 0.625)]
        more = itertools.count(4.0) if domain.kind is OperandKind.DISTINCT else itertools.cycle(few)
        pools[domain] = itertools.chain(few, more)
    return _filled(shape, pools[domain])


def _example(example: Worked, page: Page) -> None:
    op, names = example.op, names_of(example.op, len(example.operands))
    page.heading("An example, worked out by the rule itself")
    for name, x in zip(names, example.operands, strict=True):
        page.value(name, shown(x))
    given = "".join(f", {k}={v!r}" for k, v in example.parameters.items())
    page.value(f"z = {op.name}({', '.join(names)}{given})", shown(example.output))
    page.value("g, the upstream gradient", shown(example.upstream))
    for index, gradient in example.gradients.items():
        page.value(f"{barred(names[index])}the gradient of {names[index]}", shown(gradient))
    index, entry = example.steepest()
    place = names[index] + (f"[{', '.join(map(str, entry))}]" if entry else "")
    change, gradient = example.measured(index, entry), float(example.gradients[index][entry])
    page.text(
        f"To see that it is right, change {place} by {NUDGE:g} up and down: Σ g·z changes by {change:.5g} "
        f"per unit of {place}, and the rule says {gradient:.5g}."
    )


def barred(name: str) -> str:
    """A letter under a bar, as in the formula, to stand before its meaning; nothing for a word."""
    is_letter = re.fullmatch(r"[^\W\d]\d*", name)
    return unicodedata.normalize("NFC", f"{name[0]}{MACRON}{name[1:]}, ") if is_letter else ""


def shown(value: Any) -> str:
    """An array as a reader writes it; several one below the other."""
    if isinstance(value, tuple):
        return "\n".join(map(shown, value))
    array = np.asarray(value)
    if array.dtype.kind == "f":
        array = array + 0.0  # no reader wants to see -0
    return np.array2string(array, precision=4, suppress_small=True, separator=", ", floatmode="maxprec")


# ---- where to go on -------------------------------------------------------------------------------


def _further(op: Op, family: str) -> list[tuple[str, str]]:
    fitting = {
        "E8": (
            Trait.ELEMENTWISE in op.traits and len(op.domains) > 1,
            "what broadcasting does to a gradient",
        ),
        "E20": (Trait.REDUCTION in op.traits, "a reduction's axis has many spellings"),
        "E21": (Trait.LOSS in op.traits, "summed or averaged over the batch"),
        "E23": (Trait.HOLOMORPHIC in op.traits, "the same formulas at complex operands"),
        "A10": (op.has_several_outputs, "when only some outputs are used"),
    }
    return [
        ("explain E19", "what is checked of an op without a slope")
        if op.is_flat
        else ("explain E1", "what an engine's gradient is held to"),
        *((f"explain {number}", why) for number, (fits, why) in fitting.items() if fits),
        ("explain W1", "the upstream gradient of a matrix product"),
        ("explain W6", "the chain in which a forgotten factor shows"),
        (f"list ops {op.name} --proofs", "how the rule was proven"),
        (f"list ops {family}", "its family"),
        ("explain op/flat", "how it is checked")
        if op.is_flat
        else ("list checks op/", "what is checked of every op"),
        (f"run -q 'op/{op.name}'", "run its checks on the installed engines"),
    ]
