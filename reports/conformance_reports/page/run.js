// The run: decoded once, indexed for the views.

const VERDICTS = {
  pass: ["✓", "pass", "good"],
  fixed: ["!", "fixed", "warn"],
  known: ["~", "known", "known"],
  undecided: ["?", "undecided", "none"],
  unsupported: ["–", "unsupported", "none"],
  interrupted: ["–", "interrupted", "none"],
  internal_error: ["!", "internal error", "warn"],
  adapter_error: ["!", "adapter error", "warn"],
  fail: ["✗", "fail", "bad"],
  error: ["!", "error", "bad"],
  timeout: ["!", "timeout", "bad"],
  crash: ["!", "crash", "bad"],
};
const ORDER = Object.keys(VERDICTS);
const UNEXPECTED = new Set(["fail", "error", "timeout", "crash", "adapter_error", "internal_error"]);
const glyph = (v) => VERDICTS[v][0];
const word = (v) => VERDICTS[v][1];
const tone = (v) => VERDICTS[v][2];
const badge = (v) => el("span", { class: "badge " + tone(v) }, glyph(v) + " " + word(v));
const mark = (t) => ({ good: "✓", bad: "✗", warn: "!", known: "~" })[t] || "–";

const group = (lines, key) => {
  const groups = new Map();
  for (const line of lines) {
    const k = key(line);
    if (groups.has(k)) groups.get(k).push(line);
    else groups.set(k, [line]);
  }
  return groups;
};
const worst = (lines) =>
  lines.reduce((a, b) => (ORDER.indexOf(b.verdict) > ORDER.indexOf(a.verdict) ? b : a));
const reason = (r) => (r.evidence && (r.evidence.reason || r.evidence.message)) || "";
// Passed out of judged: what was unsupported or undecided is in neither number.
const tally = (lines) => {
  const judged = lines.filter((r) => tone(r.verdict) !== "none");
  const passed = judged.filter((r) => r.verdict === "pass").length;
  return { passed, judged: judged.length, tone: judged.length ? tone(worst(judged).verdict) : "none" };
};

// `contenders` are the backends and what else was timed: the hand-written form is no engine under test.
let data, spec, backends, contenders, engines, byId, familyOf;

// A loop, not Uint8Array.from: that takes a tenth of a second for two megabytes.
const bytes = (text) => {
  const array = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) array[i] = text.charCodeAt(i);
  return array;
};
const decoded = async () => {
  const packed = bytes(atob(document.getElementById("data").textContent));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).json();
};

const load = async () => {
  data = await decoded();
  spec = data.specification;
  engines = new Map(data.run.backends.map((b) => [b.name, b]));
  backends = [...new Set([...engines.keys(), ...data.results.map((r) => r.backend)])];
  contenders = [...new Set([...backends, ...data.timings.map((t) => t.backend)])];
  byId = new Map(data.results.map((r) => [r.id, r]));
  familyOf = new Map(Object.entries(spec.families).flatMap(([family, ops]) => ops.map((op) => [op, family])));
};

// What stands beside the ops and the chapters; a capability's clause is no number of the standard.
const KINDS = { program: "programs", example: "worked examples", capability: "capabilities", point: "special points" };
const chapter = (clause) => {
  const letter = clause[0];
  if (!/^[A-Z]\d/.test(clause)) return KINDS.capability;
  if (letter === "W") return KINDS.example;
  return spec.chapters[letter] ? letter + " · " + spec.chapters[letter] : "chapter " + letter;
};
const family = (r) =>
  r.kind === "op"
    ? familyOf.get(r.subject) || "ops"
    : r.kind === "contract"
      ? chapter(r.clause)
      : KINDS[r.kind] || r.kind;
const sentence = (clause) => (spec.clauses[clause] || {}).sentence || "";
const engineOf = (name) => {
  const b = engines.get(name);
  return b ? [b.engine, b.version, b.mode].filter((x) => x).join(" ") : "";
};
const rank = (r) => [-ORDER.indexOf(r.verdict), -(r.error || 0)];
const bySeverity = (a, b) => rank(a)[0] - rank(b)[0] || rank(a)[1] - rank(b)[1];
let sortedProblems = null;
const problems = () =>
  (sortedProblems ||= data.results.filter((r) => UNEXPECTED.has(r.verdict)).sort(bySeverity));
const toCase = (r, ...children) => link("case", r.id, {}, children);
// A chip: verdict and what distinguishes it from others, with a link to the case.
const chip = (r, text) =>
  el(
    "a",
    { class: "chip " + tone(r.verdict), href: address("case", r.id), title: word(r.verdict) + ": " + r.id },
    glyph(r.verdict) + " " + text,
    el("span", { class: "unseen" }, " " + word(r.verdict)),
  );
const mutationScore = () => {
  if (!data.mutants.length) return null;
  return { caught: data.mutants.filter((m) => m.killers.length).length, of: data.mutants.length };
};
