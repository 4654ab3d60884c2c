"""Chapter E: values."""

from __future__ import annotations

from conformance.clauses.clause import Clause, Level

MUST, SHOULD = Level.MUST, Level.SHOULD

CLAUSES = (
    Clause("E1", MUST, "The VJP equals the rule within the allowed error, for signed, sparse, one-hot and large cotangents.",
           "A wrong gradient trains a model worse, not visibly wrong."),
    Clause("E2", MUST, "Forward and reverse mode are transposes: ⟨w, Jv⟩ = ⟨Jᵀw, v⟩ to rounding, and Jv is the rule's.",
           "Each mode has rules of its own, and a slip in one shows only beside the other."),
    Clause("E3", MUST, "Jacobians by rows, by columns and by stacked cotangents agree, and mapped gradients are the loop's.",
           "Which of them a library uses is its choice of speed, not of values."),
    Clause("E4", MUST, "Second derivatives are the rule's derivative, by whichever order of the two modes, and third ones are exact.",
           "A rule may be right and what it is made of cut off from the graph: the curvature is then silently zero."),
    Clause("E5", MUST, "Hessians are symmetric, and mixed partials commute.",
           "A Newton step along a Hessian that is not symmetric goes elsewhere."),
    Clause("E6", MUST, "The gradient of a composition is the composition of the VJPs.",
           "Ops that are right alone can still be wired wrongly."),
    Clause("E7", MUST, "What is done and undone has the cotangent itself as its gradient, and what cancels receives zero.",
           "Two wrong rules that meet in one program may each look plausible alone."),
    Clause("E8", MUST, "The gradient of a broadcast operand is the sum over the broadcast axes.",
           "Every bias is broadcast; averaging, or summing a wrong axis, has the right shape on square data."),
    Clause("E9", MUST, "The gradient of a batch is the stack of its examples' gradients, summed where they share an operand.",
           "An example that leaks into another's gradient trains on data it was not given."),
    Clause("E10", MUST, "A gradient obeys what the function's invariances say of it: scaling, shifting, reordering.",
           "These relations hold whatever the values, so that a wrong term cannot hide behind rounding."),
    Clause("E11", MUST, "At a tie the weights with which max, min, sort, median and pooling share a gradient are not negative and sum to one.",
           "A maximum that pays every tied entry in full doubles the gradient of quantised or zero-padded data."),
    Clause("E12", MUST, "At a kink the gradient lies in the Clarke subdifferential and is the one that the adapter declares; what compositions make of it where they are smooth is told apart.",
           "A dead unit sits exactly on its kink; a slope that no neighbour has moves it somewhere no data asked for."),
    Clause("E13", MUST, "Where only the rule is singular, the gradient is the limit: sinc at 0, products with zeros, x to the 0, determinants of singular matrices.",
           "One NaN from a harmless zero in the data ends a training run."),
    Clause("E14", MUST, "There is no NaN and no infinity where the true gradient is finite and representable, huge, subnormal and infinite operands included.",
           "Logits of a thousand are ordinary; an overflow on the way to a finite gradient is not."),
    Clause("E15", MUST, "Below single precision the gradient is as accurate as the textbook rule in that precision; its accuracy is reported.",
           "Half precision training stands or falls with the digits a gradient keeps."),
    Clause("E16", MUST, "What a selection does not take contributes zero; whether an infinite slope behind it is multiplied by that zero is elected.",
           "Everybody masks what is out of a domain, and finds out about 0 times infinity from a NaN hours later.",
           ("trap", "safe")),
    Clause("E17", SHOULD, "The same call twice gives bit-equal gradients.",
           "Runs that cannot be repeated cannot be debugged."),
    Clause("E18", MUST, "A gradient does not depend on unrelated work, on call history, or on earlier failures.",
           "A notebook's result would depend on the order in which its cells were tried."),
    Clause("E20", MUST, "A reduction's gradient does not depend on how its axis is spelled, nor on keepdims.",
           "axis=-1, axis=1 and axis=(1,) are one thing to the caller."),
    Clause("E21", MUST, "A loss's gradient under mean is that under sum over the count, which is that of its terms.",
           "Whether a batch's gradients are summed or averaged decides the learning rate."),
    Clause("E22", MUST, "The value equals the reference within the allowed error.",
           "A gradient can only be judged where engine and specification mean the same function."),
)  # fmt: skip
