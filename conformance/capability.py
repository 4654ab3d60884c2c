"""What an engine may offer beyond gradients."""

from __future__ import annotations

import enum


class Capability(enum.Enum):
    """Something an engine may offer beyond gradients; the value says it to a reader."""

    TAPE = "leaves keep their gradients, and backward() fills them"
    CLEARING = "a leaf's gradient can be cleared"
    RETAINING = "backward can be asked more than once of one graph"
    WRITABLE = "arrays can be written in place"
    NO_GRAD = "a scope in which nothing is recorded"
    DETACH = "a value can be cut from its history"
    CUSTOM_RULE = "users can write an op's derivative by hand"
    GRAPH = "the recorded graph can be looked at"
    DEEP = "graphs of 10 000 nodes are recorded one by one"
    HIGHER_ORDER = "a gradient can itself be differentiated"
    FORWARD = "tangents can be pushed forward"
    COMPILING = "a function can be compiled"
    VECTORIZING = "a function can be mapped over the leading axis of its operands"
    CHECKPOINTING = "a function can be computed anew on the way back instead of being remembered"
    HOOKS = "a cotangent can be looked at, or replaced, on its way back"
    ANOMALY = "a scope in which the op that makes a NaN is named"
    RECORDED_WRITES = "an array can be written in place while it is being recorded"
    STRUCTURES = "operands may be lists and dictionaries of arrays"
    COMPLEX = "complex operands have gradients"

    @property
    def label(self) -> str:
        """Its name in ids and on the command line."""
        return self.name.lower().replace("_", "-")
