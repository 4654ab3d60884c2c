// How bad an answer is, from good to bad: the order of conformance/runfile/badness.py.
// The embedded runs bring it along; that of a run file dropped on the page is worked out here, by the same rules.

const ANSWERS = { pass: 0, fixed: 0, undecided: 1, interrupted: 1, unsupported: 2, adapter_error: 3, internal_error: 3, error: 4, timeout: 7, crash: 7 };
const [LOSES_DIGITS, BREAKS_A_RULE, WRONG_NUMBERS] = [5, 6, 8];
const BADNESS_TEXT = { 3: "fault of the adapter or of this suite", 4: "raises an error", 5: "loses digits", 6: "breaks a rule", 7: "crashes or hangs", 8: "silently wrong numbers" };
const EPSILONS = { float64: 2 ** -52, complex128: 2 ** -52, "": 2 ** -52, float16: 2 ** -10, bfloat16: 2 ** -7 };
const OF_MEMORY = new Set(["A11", "B5", "D8"]);
const RAISED = /^[A-Za-z_.]*(Error|Exception|Exit|Interrupt|Warning)\b(:|$)/;
const COMPLEX = /^\(?((?:[-+]?(?:inf|nan|\d[\d.]*(?:e[-+]?\d+)?))?)(?:([-+]?(?:inf|nan|\d[\d.]*(?:e[-+]?\d+)?))j)?\)?$/;

const failedAs = (line, evidence) =>
  line.verdict !== "known" ? line.verdict : evidence.failed_as || (RAISED.test(evidence.message || "") ? "error" : "fail");
const badnessOf = (line) => {
  const evidence = line.evidence || {};
  const verdict = failedAs(line, evidence);
  if (verdict !== "fail") return ANSWERS[verdict];
  const error = relativeError(evidence);
  if (error === undefined || OF_MEMORY.has(line.clause)) return BREAKS_A_RULE;
  const epsilon = EPSILONS[line.dtype || ""] || 2 ** -23;
  return error <= Math.sqrt(epsilon) ? LOSES_DIGITS : WRONG_NUMBERS;
};

// |got − expected| over |expected| at the entry furthest out; undefined where no numbers were compared.
const relativeError = ({ expected, got, where }) => {
  if (expected === undefined || expected === null || got === undefined || got === null) return undefined;
  const at = indices(where || "");
  const [a, b] = [complexAt(got, at), complexAt(expected, at)];
  if (!a || !b) return Infinity;
  const error = Math.hypot(a[0] - b[0], a[1] - b[1]);
  const size = Math.hypot(...b);
  if (error === 0) return 0;
  return size && Number.isFinite(error) ? error / size : Infinity;
};
const indices = (where) => {
  const parts = where.replace(/^[[\]]+|[[\]]+$/g, "").split(",").map((part) => part.trim());
  return parts.every((part) => /^\d+$/.test(part)) ? parts.map(Number) : [];
};
const complexAt = (values, at) => {
  for (const i of at) {
    if (!Array.isArray(values) || i >= values.length) break;
    values = values[i];
  }
  const real = num(values);
  if (real !== undefined && values !== null) return [real, 0];
  const parts = typeof values === "string" && values.match(COMPLEX);
  return parts && (parts[1] || parts[2]) ? [num(numeral(parts[1] || "0")), num(numeral(parts[2] || "0"))] : null;
};
const numeral = (text) => {
  const plain = text.replace(/^\+/, "");
  return /inf|nan/.test(plain) ? plain.replace("-nan", "nan") : Number(plain);
};
