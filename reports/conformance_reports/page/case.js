// Case page: one verdict, with its evidence and how to see it again.

const casePage = (main, { path, parameters }) => {
  const r = byId.get(path);
  if (!r) {
    main.append(
      el("h1", {}, "No such result"),
      el("p", {}, "This run holds no result named ", el("code", {}, path), "."),
      el("p", {}, link("matrix", "", {}, "To the matrix")),
    );
    return;
  }
  const stand = details.alike[r.at] === undefined ? null : standsFor(r);
  const evidence = evidenceOf(stand || r);
  put(
    main,
    el(
      "p",
      { class: "crumbs" },
      link("matrix", "", {}, "Matrix"),
      " / ",
      link("matrix", "", { family: family(r) }, family(r)),
      " / ",
      r.kind === "op" ? link("op", r.subject, {}, r.subject) : r.subject,
      nearbyProblems(r),
    ),
    el("h1", {}, r.subject + " · " + r.check.replace(/_/g, " ")),
    stand
      ? el("p", { class: "amber" }, "! The evidence below is of ", toCase(stand, stand.id), ", which fails alike; that of this result is in the run file.")
      : null,
    el(
      "p",
      { class: "line" },
      badge(r.verdict),
      r.cause ? severityBadge(r.cause.severity) : null,
      link("engine", engineName(r.backend), {}, r.backend),
      el("span", { class: "muted" }, engineOf(r.backend)),
      el("code", {}, r.dtype),
    ),
    el(
      "div",
      { class: "split" },
      el("div", {}, saying(r, evidence), numbers(r, evidence)),
      el(
        "div",
        {},
        el("section", { class: "card" }, claimPart(r), clausePart(r)),
        el("section", { class: "card" }, el("h2", {}, "The same check elsewhere"), elsewhere(r)),
      ),
    ),
    tabs(r, evidence, parameters.tab),
  );
};

const nearbyProblems = (r) => {
  const list = problems();
  const at = list.indexOf(r);
  if (at < 0) return null;
  return el(
    "span",
    { class: "nearby" },
    at > 0 ? link("case", list[at - 1].id, {}, "← previous") : null,
    " problem " + (at + 1) + " of " + list.length + " ",
    at + 1 < list.length ? link("case", list[at + 1].id, {}, "next →") : null,
  );
};

// The key of a check, as `conformance list checks` prints it.
const checkKey = (r) => {
  const byClause = [r.kind, r.clause, r.check].join("/");
  return r.id === r.backend + "/" + byClause ? byClause : r.kind + "/" + r.check;
};

const claimPart = (r) => {
  const claim = spec.claims[checkKey(r)];
  return claim ? [el("h2", {}, "What was asked"), el("p", { class: "sentence" }, whole(claim))] : null;
};

const clausePart = (r) => {
  const clause = spec.clauses[r.clause];
  const op = spec.ops[r.subject];
  return [
    el("h2", {}, "Clause ", clauseLink(r.clause), el("span", { class: "muted" }, " " + short(r.level, 20))),
    clause
      ? [
          el("p", { class: "sentence" }, whole(clause.sentence)),
          clause.reason ? note(whole(clause.reason)) : null,
        ]
      : note("The specification that made this report has no sentence for it."),
    op && r.kind === "op"
      ? [
          el("h3", {}, "The rule"),
          op.formula ? op.formula.split("\n").map((f) => el("p", { class: "math" }, whole(f))) : null,
          op.source ? el("p", { class: "muted small" }, "Source: " + op.source) : null,
        ]
      : null,
  ];
};

const saying = (r, evidence) =>
  el(
    "section",
    {},
    evidence.message
      ? el("pre", { class: "message", tabindex: 0 }, short(evidence.message, 4000))
      : note(
          r.verdict === "pass" ? "✓ Held in " + plural(r.cases, "case") + "." : "No message was recorded.",
        ),
    diagnostics(evidence),
    r.cause
      ? el("p", {}, kindBadge(r.cause), " ", el("a", { href: causeAddress(r.cause) }, "the same cause: " + plural(r.cause.lines.length, "result")))
      : null,
    evidence.reason || evidence.link
      ? el(
          "p",
          { class: "amber" },
          "~ " + (evidence.reason || "known failure"),
          evidence.link ? [" · ", outward(evidence.link)] : null,
        )
      : null,
    r.verdict === "fixed"
      ? el(
          "p",
          { class: "amber" },
          "! Listed as a known failure, but it passes: remove it from the known-failures file.",
        )
      : null,
    facts([
      ["cases that decide", count(r.cases)],
      r.undecided ? ["cases that do not", count(r.undecided)] : null,
      ["time", seconds(r.seconds)],
      evidence.step ? ["step of the check", short(evidence.step, 250)] : null,
      evidence.raised ? ["raised at", el("code", {}, short(evidence.raised, 200))] : null,
      isNumber(r.error) ? ["largest error", digits(r.error, 3) + " times the allowed error"] : null,
      // Two units for one distance would contradict each other: the one at the conditioning is kept where there are both.
      isNumber(r.ulp) && !accuracyIn(r) ? ["distance there", digits(r.ulp, 3) + " ulp of the exact value"] : null,
      ...furthest(r),
      ...Object.entries(r.measured || {}).map(([name, value]) => [name.replaceAll("_", " "), digits(value, 3)]),
    ]),
  );

const AGREES = { engine: "agrees with the engine", rule: "agrees with the rule", neither: "agrees with neither" };
// Whose fault a wrong gradient is, and what each diagnostic says, none of which uses the rule.
const diagnostics = (evidence) =>
  evidence.diagnostics &&
  el(
    "section",
    { class: "diagnostics" },
    el("h2", {}, "Diagnosis: " + short(evidence.fault, 40)),
    el(
      "ul",
      { class: "checks" },
      evidence.diagnostics.map((d) =>
        el(
          "li",
          {},
          el("b", {}, short(d.name, 40)),
          " ",
          d.says,
          el("span", { class: "muted" }, " · " + (AGREES[d.agrees_with] || "does not decide")),
        ),
      ),
    ),
  );

// Where the least exact of all compared entries is, in units at the conditioning of its case.
const isNumber = (x) => x !== undefined && x !== null;
const accuracyIn = (r) => details.accuracy[r.at];
const furthest = (r) => {
  const found = accuracyIn(r);
  if (!found || !found.where) return [];
  const { typical = Infinity, worst = Infinity, where } = found;
  return [
    ["median and worst entry, at the conditioning of the case", digits(typical, 2) + " and " + digits(worst, 3) + " ulp"],
    ["the worst entry is in", where],
  ];
};

const numbers = (r, evidence) => {
  const given = evidence.case || {};
  const apart = distances(evidence);
  const out = new Set((apart || []).filter((e) => e.isOut).map((e) => e.at));
  const block = (title, label, value, marked) =>
    value === undefined
      ? null
      : el("div", { class: "block" }, el("h3", {}, title), arrayView(label, value, marked));
  const others = Object.entries(given).filter(
    ([k]) => !["op", "operands", "cotangent", "dtype", "parameters"].includes(k),
  );
  const parameters = given.parameters && Object.entries(given.parameters);
  if (!Object.keys(given).length && evidence.expected === undefined && evidence.got === undefined)
    return null;
  return el(
    "section",
    {},
    el("h2", {}, "The case"),
    el(
      "div",
      { class: "blocks" },
      (given.operands || []).map((o, i) => block("operand " + i, "Operand " + i, o)),
      (given.cotangent || []).map((g, i, all) =>
        block("upstream cotangent" + (all.length > 1 ? " " + i : ""), "Cotangent " + i, g),
      ),
    ),
    parameters && parameters.length
      ? el(
          "p",
          {},
          "with ",
          el(
            "code",
            {},
            parameters.map(([k, v]) => k + "=" + (typeof v === "string" ? v : JSON.stringify(v))).join(", "),
          ),
        )
      : null,
    others.length
      ? el(
          "div",
          { class: "blocks" },
          others.map(([k, v]) => block(k, k, v)),
        )
      : null,
    el(
      "div",
      { class: "blocks" },
      block("expected", "Expected", evidence.expected, { places: out, kind: "meant", sign: "" }),
      block("got" + (evidence.where ? ", furthest out at " + evidence.where : ""), "Got", evidence.got, {
        places: out,
        kind: "out",
        sign: "✗ ",
      }),
    ),
    apart && apart.length && apart[0].ratio !== undefined
      ? [el("h3", {}, "difference divided by the allowed error, entry by entry"), heatStrip(apart)]
      : null,
    evidence.pattern ? note("What was got is " + evidence.pattern + ".") : null,
    evidence.because ? note("Allowed there: " + short(evidence.because, 400) + ".") : null,
    evidence.unshrunk ? note("Perhaps not the smallest case: " + evidence.unshrunk + ".") : null,
  );
};

const elsewhere = (r) => {
  const same = data.results.filter(
    (o) => o.kind === r.kind && o.subject === r.subject && o.check === r.check,
  );
  const of = group(same, (o) => o.backend);
  return el(
    "ul",
    { class: "checks" },
    backends.map((b) =>
      el(
        "li",
        {},
        el("p", {}, b),
        of.has(b)
          ? el(
              "div",
              { class: "chips" },
              of.get(b).map((o) => {
                const node = chip(o, o.dtype || "any dtype");
                if (o === r) node.setAttribute("aria-current", "page");
                return node;
              }),
            )
          : note("– not run"),
      ),
    ),
  );
};
