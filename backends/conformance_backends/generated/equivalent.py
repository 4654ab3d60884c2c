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
    "flag in custom_by_operand: return [_conforming(i, backward(i, *given), x) if edge else None for i, (x, edge) in enumerate(zip(values, edges, strict=True))] → return [_conforming(i, backward(i, *given), x) if edge else None for i, (x, edge) in enumerate(zip(values, edges, strict=False))]": "every operand has an edge, or None in its place",
    'dropped statement in _conforming_tangents: raise ValueError(f"the rule\'s tangent {index} has shape {np.shape(t)}, its output {z.shape}") → pass': "a tangent of another shape is refused where its cotangent is seeded",
    "removed call in _conforming: return fitted(cotangent if is_traced else np.asarray(detach(cotangent)), operand) → return fitted(cotangent if is_traced else detach(cotangent), operand)": "every cotangent that the adapter's rules give is an array or a tensor",
    "constant in dropout: return x * Tensor(np.where(is_kept, 1 / (1 - rate) if rate < 1 else 0, 0).astype(x.dtype)) → return x * Tensor(np.where(is_kept, 1 / (1 - rate) if rate < 1 else 1, 0).astype(x.dtype))": "where the rate is 1 no entry is kept",
    "dropped condition in edges_before: if edge in seen or edge[0] in ends: → if edge in seen:": "the further edges lead to the operands' leaves of a graph that is dropped: nothing arrives along them",
    "index in edges_before: if edge in seen or edge[0] in ends: → if edge in seen or edge[1] in ends:": "the further edges lead to the operands' leaves of a graph that is dropped: nothing arrives along them",
    "removed call in beside: return np.asarray(x) → return x": "every constant that the adapter hands on is an array or a number",
    "dropped keyword in complete: return tuple((np.zeros_like(z) if g is None else g for g, z in zip(given, outputs, strict=True))) → return tuple((np.zeros_like(z) if g is None else g for g, z in zip(given, outputs)))": "what is missing has been filled up before",
    "dropped condition in fitted: is_made_real = cotangent.dtype.kind == 'c' and operand.dtype.kind == 'f' → is_made_real = operand.dtype.kind == 'f'": "the real part of a real cotangent is itself",
    "other operand in seed: given = gradient if isinstance(gradient, type(output)) else type(output)(gradient) → given = gradient if isinstance(output, type(output)) else type(output)(gradient)": "the adapter hands every gradient over as a tensor",
    "dropped statement in apply: output = tuple(map(np.asarray, output)) → nothing": "what makes the tensors makes arrays, and no rule tells NumPy's numbers from them",
    "removed call in _constants: return arrays if arrays is None else Tensor(detach(arrays)) → return arrays if arrays is None else Tensor(arrays)": "what makes a tensor of a tensor takes its value",
    "branch of a choice in custom: xs = remade(values, edges) if is_recording() else values → xs = remade(values, edges)": "a tensor is recorded no more than its numbers are where nothing is recorded",
    "removed call in custom_forward: return wrap(outputs, Node(getattr(forward, '__name__', 'custom'), edges, pullback)) → return wrap(outputs, Node(forward, edges, pullback))": "no clause says by what name an anomaly calls a node that is no op",
    "condition in _conforming_tangents: if t is not None and np.shape(t) != z.shape: → if False:": "a tangent of another shape is refused where its cotangent is seeded",
    "branch of a choice in Tensor.__array_ufunc__: return apply(row, operands, {}) if row else call(ufunc, operands, {}) → return call(ufunc, operands, {})": "what looks a function up finds the row of a universal one too",
    "dropped statement in apply: output = np.asarray(output) → nothing": "what makes the tensor makes an array, and no rule tells NumPy's number from it",
    "branch of a choice in vjp: return tuple((g if g is None or isinstance(g, Tensor) else Tensor(g) for g in pulled)) → return tuple((g for g in pulled))": "what is no tensor here has no history, and what takes results takes arrays too",
    "dropped statement in seed: raise TypeError(f'the gradient of a {output.dtype} output must be floating point, not {given.dtype}') → pass": "a gradient argument of other numbers is cast then, which A5 lets an engine do",
}
