"""What an engine may offer beyond gradients."""

from __future__ import annotations

import enum


class Capability(enum.Enum):
    """Something an engine may offer beyond gradients; the value describes it."""

    TAPE = "leaves keep their gradients, and backward() fills them"
    CLEARING = "a leaf's gradient can be cleared"
    FREEZING = "a leaf can stop to need a gradient, and start again"
    RETAINING = "backward can run more than once on one graph"
    WRITABLE = "arrays can be written in place"
    NO_GRAD = "a scope in which nothing is recorded"
    DETACH = "a value can be detached from its graph"
    CUSTOM_RULE = "users can define an op with a custom rule"
    SEVERAL_OUTPUTS = "an op with a custom rule may have several outputs, and its rule may use them"
    NEEDED_OPERANDS = "a custom rule is not called for operands that need no gradient"
    FORWARD_RULES = "an op with a custom rule may have that of forward mode"
    GRAPH = "the recorded graph can be read"
    DEEP = "graphs of 10 000 nodes are recorded one by one"
    HIGHER_ORDER = "a gradient can itself be differentiated"
    FORWARD = "tangents can be pushed forward"
    COMPILING = "a function can be compiled"
    VECTORIZING = "a function can be mapped over the leading axis of its operands"
    CHECKPOINTING = "the backward pass can compute a function again instead of keeping its values"
    LOOPS = "a loop of the engine's own runs a function over the items of an array"
    BRANCHES = "a branch of the engine's own calls one of two functions, by a truth value"
    RANDOM_NUMBERS = "random numbers are drawn by the engine, other ones at each call"
    DROPOUT = "the engine has a dropout of its own, which drops other entries at each call"
    HOOKS = "a hook can observe or replace a cotangent"
    ANOMALY = "a scope in which the op that makes a NaN is named"
    RECORDED_WRITES = "an array can be written in place while it is being recorded"
    VALUE_WITH_GRADIENT = "a function gives the value with the gradients, and hands on auxiliary results"
    INTERMEDIATES = "gradients are taken with respect to results on the way, too"
    STRUCTURES = "operands may be lists and dictionaries of arrays"
    JACOBIANS = "a function gives whole Jacobians, and another whole Hessians"
    COMPLEX = "complex operands have gradients"

    @property
    def label(self) -> str:
        """Its name in ids and on the command line."""
        return self.name.lower().replace("_", "-")
