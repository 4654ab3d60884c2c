// The page of an op, and the page of a clause: how every engine does on it.

const perBackend = (lines, parameters) => {
  const of = group(lines, (r) => r.backend);
  return table(
    "By engine",
    ["engine and mode", "passed", "verdicts"],
    backends.map((b) => {
      const own = of.get(b) || [];
      const t = tally(own);
      const counts = ORDER.map((v) => [v, own.filter((r) => r.verdict === v).length]).filter(([, n]) => n);
      return el(
        "tr",
        {},
        el("th", { scope: "row" }, link("engine", engineName(b), {}, b)),
        el("td", {}, t.judged ? counted(t.judged, { ...parameters, backend: b, judged: "1" }, "") : "–", t.judged ? " judged, " + count(t.passed) + " passed" : own.length ? " not offered" : " not run"),
        el("td", {}, el("div", { class: "chips" }, counts.map(([v, n]) => el("a", { class: "chip " + tone(v), href: address("results", "", { ...parameters, backend: b, verdict: v }) }, glyph(v) + " " + count(n) + " " + word(v))))),
      );
    }),
  );
};
const causeList = (lines) => {
  const found = [...new Set(lines.filter((r) => r.cause).map((r) => r.cause))].sort((a, b) => a.at - b.at);
  return found.length
    ? el("ol", { class: "worst" }, found.slice(0, 60).map((c) => el("li", {}, el("b", {}, c.engine + " "), causeLine(c).childNodes.length ? [...causeLine(c).childNodes] : null)))
    : note("✓ Nothing failed.");
};

// The sections of an op's page, in order; a further one is a function of the op's name here.
const OP_SECTIONS = [
  (op, lines) => section("How each engine does", perBackend(lines, { subject: op, about: "op" })),
  (op, lines) => section("What fails", causeList(lines.concat(pointsOf(op)))),
  (op) => pointsOf(op).length ? section("At special points", el("p", {}, link("atlas", "", { q: op + "/" }, plural(new Set(pointsOf(op).map((r) => r.subject)).size, "special point") + " in the atlas"))) : null,
  (op, lines) => lines.some((r) => r.covered) ? section("What the cases cover", coverage(lines.filter((r) => r.covered))) : null,
];
// Levels of the factors that make up a case (shapes, parameters, values …), and pairs of them, in cases that decide.
const coverage = (lines) => [
  note("Levels of factors (parameters, shapes, layouts, values …) and pairs of levels that occur in cases that decide, of all that are possible."),
  table(
    "Coverage",
    ["engine and mode", "dtype", "levels", "pairs"],
    lines.map((r) => {
      const [levels, ofLevels, pairs, ofPairs] = r.covered;
      return el("tr", {}, el("th", { scope: "row" }, toCase(r, r.backend)), el("td", {}, r.dtype), el("td", {}, count(levels) + " of " + count(ofLevels)), el("td", {}, count(pairs) + " of " + count(ofPairs)));
    }),
  ),
];
const pointsOf = (op) => data.results.filter((r) => r.kind === "point" && r.subject.startsWith(op + "/"));

const opPage = (main, { path }) => {
  const lines = data.results.filter((r) => r.kind === "op" && r.subject === path);
  const op = spec.ops[path];
  put(
    main,
    el("p", { class: "crumbs" }, link("matrix", "", {}, "Ops"), " / ", familyOf.get(path) || "op"),
    el("h1", {}, path),
    op && op.formula ? el("section", {}, el("h2", {}, "The rule"), op.formula.split("\n").map((f) => el("p", { class: "math" }, whole(f))), op.source ? note("Source: " + op.source) : null) : null,
    lines.length || pointsOf(path).length ? OP_SECTIONS.map((draw) => draw(path, lines)) : note("– not run: this run has no result about it."),
  );
};

const clausePage = (main, { path }) => {
  const clause = spec.clauses[path];
  const lines = data.results.filter((r) => r.clause === path);
  put(
    main,
    el("p", { class: "crumbs" }, link("matrix", "", { by: "clause" }, "Clauses"), " / ", clause ? chapter(path) : ""),
    el("h1", {}, "Clause " + path),
    clause
      ? [
          el("p", { class: "sentence" }, whole(clause.sentence)),
          clause.reason ? note(whole(clause.reason)) : null,
          note(clause.level === "must" ? "An engine must do this." : "Level: " + clause.level + ".", clause.conventions.length ? " Conventions: " + clause.conventions.join(", ") + "." : ""),
        ]
      : note("The specification that made this report has no sentence for it."),
    section("How each engine does", perBackend(lines, { clause: path })),
    section("What fails", causeList(lines)),
  );
};
