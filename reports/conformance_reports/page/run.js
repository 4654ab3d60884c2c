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
const reason = (r) => r.said;
// Passed out of judged: what was unsupported or undecided is in neither number.
const tally = (lines) => {
  const judged = lines.filter((r) => tone(r.verdict) !== "none");
  const passed = judged.filter((r) => r.verdict === "pass").length;
  return { passed, judged: judged.length, tone: judged.length ? tone(worst(judged).verdict) : "none" };
};

// `contenders` are the backends and what else was timed: the hand-written form is no engine under test.
let data, spec, backends, contenders, engines, byId, familyOf, details;

// A loop, not Uint8Array.from: that takes a tenth of a second for two megabytes.
const bytes = (text) => {
  const array = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) array[i] = text.charCodeAt(i);
  return array;
};
const decoded = async (packed) => {
  const stream = new Blob([bytes(atob(packed))]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).json();
};

// Results from their columns. What is rarely looked at, the evidence and the accuracy, is read after the first view.
const CODED = ["backend", "kind", "subject", "check", "clause", "level", "dtype", "verdict", "message", "reason"];
const usualId = (r) =>
  r.dtype
    ? r.backend + "/" + r.kind + "/" + r.subject + "/" + r.check + "/" + r.dtype
    : r.backend + "/" + r.kind + "/" + r.clause + "/" + r.check;
const results = (columns) => {
  const { cases, seconds, error, ulp, undecided, id, measured, atlas, covered, badness } = columns;
  const lines = new Array(cases.length);
  for (let i = 0; i < lines.length; i++) {
    const r = { at: i };
    for (const name of CODED) r[name] = columns[name].values[columns[name].codes[i]];
    r.id = id[i] === undefined ? usualId(r) : id[i];
    r.said = r.reason || r.message;
    r.cases = cases[i];
    r.undecided = undecided[i] || 0;
    r.seconds = seconds[i];
    r.error = error[i];
    r.ulp = ulp[i];
    r.badness = badness ? badness[i] : undefined; // reports of before it have none
    r.measured = measured[i];
    r.atlas = atlas[i];
    r.covered = covered[i];
    lines[i] = r;
  }
  return lines;
};

const load = async () => {
  data = await decoded(document.getElementById("data").textContent);
  data.results = results(data.columns);
  if (data.against) data.against.results = results(data.against.columns);
  spec = data.specification;
  engines = new Map(data.run.backends.map((b) => [b.name, b]));
  backends = [...new Set([...engines.keys(), ...data.results.map((r) => r.backend)])];
  contenders = [...new Set([...backends, ...data.timings.map((t) => t.backend)])];
  byId = new Map(data.results.map((r) => [r.id, r]));
  familyOf = new Map(Object.entries(spec.families).flatMap(([family, ops]) => ops.map((op) => [op, family])));
  data.causes.forEach((cause, at) => {
    cause.at = at;
    cause.lines = cause.results.map((i) => data.results[i]);
    for (const r of cause.lines) r.cause = cause;
  });
};
let detailed = null;
const withDetails = () =>
  (detailed ||= decoded(document.getElementById("details").textContent).then((read) => {
    details = read;
    return read;
  }));
const evidenceOf = (r) => details.evidence[r.at] || { message: r.message, reason: r.reason };
// The failure whose evidence stands for this one: very many that are alike are kept once.
const standsFor = (r) => data.results[details.alike[r.at]];

// The modes of an engine, in one name.
const engineName = (backend) => (engines.get(backend) || {}).engine || backend;
const engineNames = () => [...new Set(backends.map(engineName))];
const modes = (engine) => backends.filter((b) => engineName(b) === engine);
const versionOf = (engine) =>
  [...new Set(modes(engine).map((b) => (engines.get(b) || {}).version))].filter((v) => v).join(", ");

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
// Failures in the order of their causes, the worst first.
let sortedProblems = null;
const problems = () => (sortedProblems ||= data.causes.flatMap((cause) => cause.lines));
const failing = (r) => r.verdict === "known" || UNEXPECTED.has(r.verdict);
// A clause is never a number alone: its sentence stands beside it, and it leads to the standard's text.
const clauseLink = (number) => (spec.clauses[number] ? link("clause", number, {}, number) : short(number, 30));
const clauseLine = (number) =>
  el("span", { class: "clause" }, clauseLink(number), sentence(number) ? [" ", whole(sentence(number))] : null);
const toCase = (r, ...children) => link("case", r.id, {}, children);
// A chip: verdict and what distinguishes it from others, with a link to the case.
const chip = (r, text) =>
  el(
    "a",
    { class: "chip " + tone(r.verdict), href: address("case", r.id), title: word(r.verdict) + ": " + r.id },
    glyph(r.verdict) + " " + text,
    el("span", { class: "unseen" }, " " + word(r.verdict)),
  );
