// Filters: which results a view is about. They stand in the address, and a count links to exactly what it counts.

const FILTERS = ["backend", "engine", "verdict", "severity", "listed", "kind", "about", "family", "clause", "dtype", "check", "subject", "cause", "failing", "judged"];

// Results are never changed, so that what is searched in each is made once.
const haystack = (r) => (r.hay ||= (r.id + " " + r.clause + " " + r.said).toLowerCase());

// Whether a result is one of those that the parameters of an address are about.
const matcher = (p) => {
  const words = (p.q || "").toLowerCase().split(/\s+/).filter((w) => w);
  const tests = [];
  for (const field of ["backend", "verdict", "dtype", "clause", "check", "subject"])
    if (p[field]) tests.push((r) => r[field] === p[field]);
  if (p.engine) tests.push((r) => engineName(r.backend) === p.engine);
  if (p.about) tests.push((r) => r.kind === p.about);
  if (p.family) tests.push((r) => family(r) === p.family);
  if (p.severity) tests.push((r) => r.cause && String(r.cause.severity) === p.severity);
  if (p.cause) tests.push((r) => r.cause && String(r.cause.at) === p.cause);
  if (p.listed) tests.push((r) => r.cause && kindOf(r.cause) === p.listed);
  if (p.failing) tests.push((r) => r.cause);
  if (p.judged) tests.push((r) => tone(r.verdict) !== "none");
  if (words.length) tests.push((r) => words.every((w) => haystack(r).includes(w)));
  return (r) => tests.every((test) => test(r));
};

// The columns of a table that has one per backend: all, or those of one engine.
const shownBackends = (p) => backends.filter((b) => !p.engine || engineName(b) === p.engine);

const KINDS_OF_QUESTION = { op: "ops", contract: "rules of the standard", point: "special points", program: "programs", history: "call histories", example: "worked examples", capability: "capabilities" };

// One field per filter; a change is in the address at once, and `apply` draws it.
const filterFields = (p, apply, wanted) => {
  const pick = (name) => (value) => {
    set({ [name]: value, cell: "" });
    apply();
  };
  const values = (field) => [...new Set(data.results.map((r) => r[field]))].filter((v) => v).sort(natural);
  const options = {
    engine: () => select("engine", [["", "all"], ...engineNames()], p.engine, pick("engine")),
    backend: () => select("engine and mode", [["", "all"], ...backends], p.backend, pick("backend")),
    verdict: () =>
      select(
        "verdict",
        [["", "all"], ...ORDER.filter((v) => data.counts[v]).map((v) => [v, glyph(v) + " " + word(v)])],
        p.verdict,
        pick("verdict"),
      ),
    severity: () =>
      select("how bad", [["", "all"], ...data.severities.map((text, i) => [String(i), text])], p.severity, pick("severity")),
    listed: () =>
      select("listed as", [["", "all"], ...new Set(data.causes.map(kindOf))], p.listed, pick("listed")),
    about: () =>
      select(
        "kind of check",
        [["", "all"], ...values("kind").map((k) => [k, KINDS_OF_QUESTION[k] || k])],
        p.about,
        pick("about"),
      ),
    family: () => select("family", [["", "all"], ...new Set(data.results.map(family))], p.family, pick("family")),
    subject: () => select("op or point", [["", "all"], ...values("subject")], p.subject, pick("subject")),
    clause: () =>
      select(
        "clause",
        [["", "all"], ...values("clause").map((c) => [c, (c + " " + sentence(c)).trim()])],
        p.clause,
        pick("clause"),
      ),
    dtype: () => select("dtype", [["", "all"], ...values("dtype")], p.dtype, pick("dtype")),
    q: () => textField("text", p.q, "inv, matmul float32, NaN …", pick("q")),
  };
  return wanted.map((name) => options[name]());
};
const textField = (label, value, placeholder, onpick) => {
  let waiting = 0;
  return el(
    "label",
    {},
    el("span", {}, label),
    el("input", {
      type: "search",
      value,
      placeholder,
      // Drawn once per frame, however fast the typing is.
      oninput: (e) => {
        cancelAnimationFrame(waiting);
        waiting = requestAnimationFrame(() => onpick(e.target.value));
      },
    }),
  );
};

// What a list is narrowed by that has no field: shown as chips, each with a way to take it away.
const narrowed = (p, shown) =>
  FILTERS.filter((name) => p[name] && !shown.includes(name)).map((name) => {
    const text = name === "cause" ? "cause: " + ((data.causes[p.cause] || {}).title || p.cause) : name + ": " + p[name];
    return el(
      "a",
      { class: "chip none", href: address(place().view, place().path, { ...p, [name]: "" }) },
      short(text, 90) + " ×",
      el("span", { class: "unseen" }, " remove this filter"),
    );
  });
const counted = (n, parameters, ...more) => link("results", "", parameters, count(n), more);
