// The words of this report, for a reader who knows automatic differentiation but not this suite.

const WORDS = [
  ["pass ✓", "Every case of the check agreed with what is expected."],
  ["fail ✗", "The engine answered, and the answer is wrong or breaks the rule that is checked."],
  ["error, crash, timeout !", "The engine raised an exception, its process ended, or it did not return in time."],
  ["known ~, not known ✗", "Known: it fails, and the known-failures file lists it with a reason. It is still a failure of the engine. Not known: it fails, and no list has it."],
  ["fixed !", "The known-failures file lists it, but it passes now."],
  ["unsupported –", "The engine does not offer this, such as an op that it lacks. It is not judged."],
  ["adapter error !", "The adapter or this suite is wrong. It does not count against the engine."],
  ["undecided ?", "In no case would a wrong answer have failed. It is not judged."],
  ["interrupted –", "It has no answer: it was killed from outside, twice, or it was not asked, since others about the op had none in time."],
  ["judged", "A result that passes or fails. What is unsupported, undecided or interrupted is not judged."],
  ["cases that decide, not deciding", "A case decides if an answer of zeros would have failed. A case that does not decide proves nothing."],
  ["silently wrong numbers", "The engine gave numbers of which less than half of the digits are right, and raised no error."],
  ["loses digits", "At least half of the digits are right, but fewer than the arithmetic of the case explains."],
  ["breaks a rule", "No number is wrong, but the behaviour is: a dtype, a missing error, memory that is shared."],
  ["cause", "Failures with one thing behind them: one entry of the known-failures file, one message, or one op with wrong numbers."],
  ["fault, documented, not implemented", "What the known-failures file says of a failure: a mistake, a behaviour that the engine describes, or a part that it does not have."],
  ["engine, backend, mode", "An engine is a library. A backend is one way to use it, its mode: torch (the tape) and torch.func are two modes of torch."],
  ["clause", "A numbered sentence of the standard, such as B1. The letter is its chapter."],
  ["check", "A function that tests one claim of a clause, on many cases."],
  ["case", "One concrete call: an op, its operands, its parameters, and an upstream cotangent."],
  ["profile, seed", "The profile says how many cases are asked: quick, standard or thorough. The seed chooses which; the same seed draws the same."],
  ["specification, digest", "The standard and the catalogue of ops by which a run is judged. The digest changes when either does."],
  ["VJP, cotangent", "The vector-Jacobian product is what reverse mode computes; the upstream cotangent is the vector."],
  ["reference VJP", "The textbook rule of the op, evaluated exactly enough to judge the engine."],
  ["oracle", "What computes the exact values that answers are compared with. It does not use the engine."],
  ["allowed error", "What rounding in the engine's dtype makes of the textbook rule for this very case. It is derived, not chosen."],
  ["times the allowed error", "The difference divided by the allowed error: up to 1 passes."],
  ["ulp", "Unit in the last place: the distance from a number to the next one of its dtype."],
  ["at the conditioning of the case", "One ulp of the exact entry or, where that is more, the change of the entry when the operands change by one ulp."],
  ["special point", "A point where the derivative does not exist or engines may choose: a kink, a tie, the edge of a domain."],
  ["capability", "What an engine offers beyond gradients, such as hooks or forward mode. What it declares is checked."],
  ["convention", "What an engine does where good engines differ. A convention is declared, not judged; the atlas lists them."],
  ["not fair ✗", "At a special point: a value that no limit and no convex combination of derivatives nearby has."],
  ["artefact ~", "At a special point: what a composition makes of the conventions of its ops."],
  ["mutant", "The reference engine with one fault planted in it. A check that finds none of its mutants proves nothing."],
  ["proof", "The agreement of a rule with differentiation that does not use the rule."],
  ["hand-written NumPy", "The gradient of a program derived on paper and written in plain NumPy: what times are divided by."],
  ["doubtful time", "A time that cannot be trusted: the machine was busy, or the figure is impossible, such as a gradient cheaper than its own value."],
];

// What a verdict means, for whoever points at it.
const meaningOf = (verdict) => (WORDS.find(([name]) => name.split(/[ ,]+/).includes(word(verdict).split(" ")[0])) || ["", ""])[1];

const glossary = (main) => {
  put(
    main,
    el("h1", {}, "Words and signs"),
    el("dl", { class: "words" }, WORDS.map(([name, meaning]) => el("div", {}, el("dt", {}, name), el("dd", {}, meaning)))),
    section(
      "The clauses of the standard",
      el("ul", { class: "checks" }, Object.keys(spec.clauses).sort(natural).map((number) => el("li", {}, clauseLine(number)))),
    ),
  );
};
