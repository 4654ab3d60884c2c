"""Errors in the source of the reference engine that change nothing that a caller can see, found by reading."""

from collections.abc import Mapping

# By what changes, as a mutant says it: where the source changes, the entry fits no mutant and is to be judged again.
EQUIVALENT: Mapping[str, str] = {
    "other sign in Accumulation.__init__: super().__init__('accumulate', (), lambda cotangents: ()) → super().__init__('accumulate', (), lambda cotangents: -())": "no backward pass calls the pullback of a node without edges",
    "dropped keyword in jvp: outward = tuple((Tensor(z) if t is None else t for t, z in zip(pushed, zeros, strict=True))) → outward = tuple((Tensor(z) if t is None else t for t, z in zip(pushed, zeros)))": "both have one entry per output",
    "condition in _variable: if behind is None: → if False:": "an identity node without an edge ends a backward pass as a leaf does",
    "removed call in custom: values = [np.asarray(detach(operand)) for operand in operands] → values = [detach(operand) for operand in operands]": "every operand that the adapter hands to a rule is an array or a tensor",
    "flag in _conforming_tangents: for index, (t, z) in enumerate(zip(given, made, strict=True)): → for index, (t, z) in enumerate(zip(given, made, strict=False)):": "their numbers have been compared before",
    "other operand in Node.__init__: self.name = name → self.name = edges": "no clause says by what name an anomaly calls a node that is no op",
    "removed call in Tensor.__setitem__: given = tensor_at(detach(value), edge_of(value)) → given = tensor_at(value, edge_of(value))": "what makes the tensor takes the value of another",
    "branch of a choice in Application.pullback: g = complete(cotangents, z) if isinstance(z, tuple) else cotangents[0] → g = complete(cotangents, z)": "it gives the one cotangent of an output that is no tuple",
    "dropped keyword in remade: return [x if edge is None else tensor_at(x, edge) for x, edge in zip(values, edges, strict=True)] → return [x if edge is None else tensor_at(x, edge) for x, edge in zip(values, edges)]": "every operand has an edge, or None in its place",
    "branch of a choice in vjp: seeds = [None if g is None or edge_of(z) is None else seed(z, g) for z, g in zip(_as_tuple(outputs), cotangents, strict=True)] → seeds = [seed(z, g) for z, g in zip(_as_tuple(outputs), cotangents, strict=True)]": "no clause lets None stand for a cotangent: an output without one is not among the outputs",
    "dropped keyword in value_and_grad: for i, operand in zip(positions, rebuilt(given, iter(arrays)), strict=True): → for i, operand in zip(positions, rebuilt(given, iter(arrays))):": "a structure is rebuilt of as many arrays as it has",
    "dropped condition in checkpoint: if not any(edges) and (not captured): → if not any(edges):": "the outputs then keep the history of the first pass: memory is not saved, and no gradient differs",
}
