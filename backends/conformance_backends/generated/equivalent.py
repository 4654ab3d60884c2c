"""Errors in the source of the reference engine that change nothing that a caller can see, found by reading."""

from collections.abc import Mapping

ANOTHER_EXCEPTION = "another exception is raised, and no clause says of what class it is"

# By what changes, as a mutant says it: where the source changes, the entry fits no mutant and is to be judged again.
EQUIVALENT: Mapping[str, str] = {
    'removed call in _conforming: raise ValueError(f"the rule\'s cotangent {index} has shape {np.shape(cotangent)}, its operand {operand.shape}") → raise f"the rule\'s cotangent {index} has shape {np.shape(cotangent)}, its operand {operand.shape}"': ANOTHER_EXCEPTION,
    "other operand in apply: raise TypeError(f'{op.name} of complex numbers has no derivative here; detach what needs none') → raise TypeError(f'{operands.name} of complex numbers has no derivative here; detach what needs none')": ANOTHER_EXCEPTION,
    "other sign in Accumulation.__init__: super().__init__('accumulate', (), lambda cotangents: ()) → super().__init__('accumulate', (), lambda cotangents: -())": "no backward pass calls the pullback of a node without edges",
    "dropped keyword in jvp: outward = tuple((Tensor(z) if t is None else t for t, z in zip(pushed, zeros, strict=True))) → outward = tuple((Tensor(z) if t is None else t for t, z in zip(pushed, zeros)))": "both have one entry per output",
    "condition in _variable: if behind is None: → if False:": "an identity node without an edge ends a backward pass as a leaf does",
}
