"""How an engine's calls are written, so that a failure can be printed as a script in the engine's own API."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field, fields

_FUNCTION, _CALL = ("function",), ("function", "operands")
_RULE = ("name", "operands", "value", "cotangents")
_PAIR = ("value", "gradients", *_CALL, "wrt")
PLACEHOLDERS: Mapping[str, tuple[str, ...]] = {  # of each template that has any
    "array": ("values", "dtype"),
    "leaf": ("values", "dtype", "array"),
    "backward": ("output",),
    "backward_with": ("output", "cotangent"),
    "backward_retaining": ("output", "cotangent"),
    "grad": ("leaf",),
    "clear": ("leaf",),
    "pullback": ("out", "pullback", *_CALL),
    "gradient": ("function", "argnums", "operands"),
    "detach": ("value",),
    "custom": _RULE,
    "call": ("name", "operands", "parameters"),
    "show": ("value",),
}
FURTHER_PLACEHOLDERS: Mapping[str, tuple[str, ...]] = {
    "nested_vjp": ("out", *_CALL, "cotangents", "cotangent"),
    "jvp": ("out", "pushed", *_CALL, "tangents"),
    "custom_by_operand": (*_RULE, "comma"),
    "custom_forward": _RULE,
    "compiled": _FUNCTION,
    "vectorized": _FUNCTION,
    "checkpoint": _FUNCTION,
    "rows": _CALL,
    "columns": _CALL,
    "hessian": _CALL,
    "value_and_gradient": _PAIR,
    "value_and_auxiliary": (*_PAIR, "auxiliary"),
    "gradients_within": (*_CALL, "cotangents"),
    "structured_gradient": ("function", "structure"),
    "scan": ("step", "carry", "items"),
    "while_loop": ("condition", "step", "carry"),
    "branch": ("condition", "then", "otherwise", "operands"),
    "noise": ("array",),
    "dropout": ("array", "rate"),
    "needs_gradient": ("leaf", "flag"),
    "memory": ("array",),
    "hook": ("array", "seen"),
    "anomaly": (),
    "assign": ("array", "index", "value"),
}
AS_THEY_STAND = ("imports", "no_grad", "anomaly")  # in which braces are Python's


@dataclass(frozen=True)
class Dialect:
    """How the engine's calls are written, so that a failure can be printed as a script in the engine's own API.

    Each field is a template: `{values}` nested lists, `{dtype}` its name, `{array}` (in `leaf`) an array
    written by `array`, with the memory layout of the failing one; the others are names of
    variables. A tape engine fills `leaf`, `backward`, `backward_with`, `backward_retaining` (where its graphs
    are freed otherwise) and `grad`; a functional one `pullback` and `gradient`.

    A script keeps those of its `imports` that it uses, and a plain import whose name no template has: it is there for
    what it does.

    `further` has a template for each optional method of the protocol that the adapter offers:
        nested_vjp: a statement that makes {out}, a tuple of gradients, from {function}, {operands} and
            {cotangents} (each a list of names) or {cotangent} (one, or a tuple, as the output is);
        jvp: a statement that makes {out} and {pushed} from {function}, {operands} and {tangents}; for
            nested_jvp, too;
        custom_by_operand: a custom rule of {operands} whose cotangents are `gs` and whose outputs are `zs`, tuples;
            {name}, {value}, a tuple of {cotangents}, and {comma}, a comma where there is one output only;
        custom_forward: a custom rule of forward mode, of {operands} whose tangents are the tuple `ts`; {name}, {value},
            and in {cotangents} the tangents of the outputs;
        compiled, vectorized, checkpoint: a function made of {function};
        rows, columns, hessian: a call with {function} and {operands} that returns a tuple of Jacobians, or Hessians;
        value_and_gradient: a statement that makes {value} and {gradients} of {function} and {operands}, by the
            positions {wrt}; value_and_auxiliary: one that makes {auxiliary}, too;
        gradients_within: a call with {function}, {operands} and {cotangents}, which returns a tuple of gradients;
        structured_gradient: a call with {function} and {structure};
        scan: a call with {step}, {carry} and {items} that returns carry and outputs; while_loop: with {condition},
            {step} and {carry}; branch: with {condition}, {then}, {otherwise} and {operands};
        noise: a call with {array} that draws zeros and ones of its shape and dtype; dropout: with {array} and {rate};
        needs_gradient: a statement about a {leaf}, by {flag}, True or False;
        memory: the memory of an {array} of the engine, an array of NumPy's into which a script writes, unless that
            is `{array}[...] = 7.0`;
        hook: a call with {array} and {seen} that returns the hook's remover;
        anomaly: the scope; assign: the statement, with {array}, {index} and {value}.
    """

    imports: str
    array: str
    leaf: str = ""
    backward: str = ""
    backward_with: str = ""
    backward_retaining: str = ""
    grad: str = ""
    clear: str = ""
    pullback: str = ""
    gradient: str = ""
    detach: str = ""
    no_grad: str = ""
    custom: str = ""  # a custom rule: {name}, {operands}, its {value}, and a tuple of {cotangents} for g
    call: str = ""  # of an op that the adapter's source does not contain: {name}, {operands}, {parameters}
    show: str = "print({value})"
    further: Mapping[str, str] = field(default_factory=dict)

    @property
    def templates(self) -> dict[str, str]:
        """Each template by its field; those of `further` by their method."""
        own = {f.name: getattr(self, f.name) for f in fields(self) if f.name != "further"}
        return own | dict(self.further)

    @property
    def effects(self) -> frozenset[str]:
        """The modules that are imported for what their import does: by plain imports, whose names no other words use."""
        others = [text for name, text in self.templates.items() if name != "imports"]
        used = set(re.findall(r"\w+", " ".join(others)))
        lines = self.imports.splitlines()
        plain = {
            line: line.removeprefix("import ").partition("#")[0].strip()
            for line in lines
            if line.startswith("import ")
        }
        used |= {word for line in lines if line not in plain for word in re.findall(r"\w+", line)}
        named = {name for name in plain.values() if name.isidentifier()}
        return frozenset(named - used - sys.stdlib_module_names)
