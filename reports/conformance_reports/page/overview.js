// Overview: is each engine all right, what is worst about it, and how far a pass may be trusted.

const TOP_CAUSES = 5;

const overview = (main) => {
  put(
    main,
    el("h1", {}, "How the engines did"),
    strip(),
    beside(),
    glance(),
    el(
      "div",
      { class: "split" },
      el(
        "section",
        { "aria-labelledby": "by-engine" },
        el("h2", { id: "by-engine" }, "Engines, those with problems first"),
        standings(),
      ),
      el("div", {}, trust(), furtherQuestions()),
    ),
    passNow(),
  );
};

const strip = () => {
  const run = data.run;
  const state = data.complete
    ? el("span", {}, "✓ complete")
    : el("span", { class: "amber" }, "! not complete: " + data.damage);
  return facts([
    ["run", state],
    ["checked", (run.queries || []).length ? short(run.queries.join(", "), 90) : "everything"],
    ["profile", run.profile + ", seed " + run.seed],
    ["results", counted(data.results.length, {})],
    ["cases", count(data.results.reduce((n, r) => n + r.cases, 0))],
    ["started", short(run.started.replace("T", " ").replace(/(\.\d+)?(Z|\+00:00)$/, " UTC"), 40)],
    data.end && data.end.seconds ? ["took", duration(data.end.seconds)] : null,
    ["specification", run.spec.version],
  ]);
};

// What the run met that stands in no result.
const beside = () => {
  const end = data.end || {};
  const ops = end.left_out || [];
  const met = [
    ...(end.trouble || []).map((text) => "Went wrong in the run, not in an engine: " + text),
    ops.length ? "Ended processes, so that questions about other things were asked without: " + ops.join(", ") : null,
    ...(end.unexplained || []),
  ].filter((text) => text);
  return met.length
    ? el(
        "section",
        { "aria-labelledby": "beside" },
        el("h2", { id: "beside" }, "Beside the results"),
        el("ul", { class: "amber" }, met.map((text) => el("li", {}, "! " + short(text, 600)))),
      )
    : null;
};

// The engines, those with problems first.
const ranked = () => {
  const all = group(data.results, (r) => engineName(r.backend));
  const rows = engineNames().map((name) => ({ name, lines: all.get(name) || [], causes: causesOf(name) }));
  const unknown = (row) => row.causes.filter((c) => !c.isKnown).length;
  const wrong = (row) => row.causes.filter((c) => c.severity === 0).length;
  // An engine with no results has no problems either, but nothing is known of it: it is listed last.
  rows.sort(
    (a, b) =>
      !a.lines.length - !b.lines.length ||
      unknown(b) - unknown(a) ||
      wrong(b) - wrong(a) ||
      b.causes.length - a.causes.length,
  );
  return rows;
};
const standings = () => el("ul", { class: "standings" }, ranked().map(standing));

// Is each engine all right? One line each, before all else.
const glance = () =>
  el(
    "section",
    { "aria-labelledby": "all-right" },
    el("h2", { id: "all-right" }, "Is it all right?"),
    el("ul", { class: "glance" }, ranked().map((row) => el("li", {}, el("b", {}, link("engine", row.name, {}, row.name)), answer(row), passShare(row)))),
    legend(),
  );
const answer = ({ name, lines, causes }) => {
  const said = (kind, ...text) => el("span", { class: "answer " + kind }, text);
  if (!lines.length) return said("none", "– not run");
  if (!causes.length) return said("good", "✓ nothing failed");
  const wrong = causes.filter((c) => c.severity === 0);
  const rest = causes.length - wrong.length;
  const others = rest ? ", " + plural(rest, "other cause") + " of failure" : "";
  if (!wrong.length) return said("bad", "! no silently wrong numbers; ", plural(rest, "cause") + " of failure");
  return said("bad", "✗ ", link("engine", name, { severity: "0" }, plural(wrong.length, "cause") + " of silently wrong numbers"), others);
};
// Known failures are failures: what was not offered or not decided is in neither number.
const passShare = ({ lines }) => {
  const { passed, judged } = tally(lines);
  return el("span", { class: "muted" }, judged ? count(passed) + " of " + count(judged) + " judged results pass" : "");
};

const standing = ({ name, lines, causes }) => {
  const refused = modes(name).map((b) => (engines.get(b) || {}).error).find((e) => e);
  const head = el(
    "div",
    { class: "who" },
    el("h3", {}, link("engine", name, {}, name)),
    note(versionOf(name), modes(name).length > 1 ? " · " + modes(name).join(", ") : ""),
  );
  if (!lines.length)
    return el(
      "li",
      {},
      head,
      el("p", { class: refused ? "amber" : "muted" }, refused ? "! could not start: " + refused : "– not run"),
    );
  const counts = ORDER.map((v) => [v, lines.filter((r) => r.verdict === v).length]).filter(([, n]) => n);
  const fails = resultsIn(causes);
  const fresh = causes.filter((c) => !c.isKnown);
  return el(
    "li",
    {},
    head,
    el(
      "p",
      { class: "found " + (fails ? "bad" : "good") },
      causes.length
        ? [el("b", {}, count(causes.length)), causes.length === 1 ? " cause of failure" : " causes of failure", el("span", { class: "muted" }, fresh.length ? ", " + count(fresh.length) + " not known" : ", all known")]
        : [el("b", {}, "✓"), " nothing failed"],
    ),
    causes.length ? el("ul", { class: "severities" }, severityCounts(name, causes)) : null,
    causes.length ? el("ol", { class: "worst" }, causes.slice(0, TOP_CAUSES).map(causeLine)) : null,
    causes.length > TOP_CAUSES
      ? el("p", {}, link("engine", name, {}, "All " + count(causes.length) + " causes, with scripts"))
      : null,
    bar(counts, lines.length),
    el(
      "ul",
      { class: "counts" },
      counts.map(([v, n]) =>
        el(
          "li",
          { title: meaningOf(v) },
          el("span", { class: "swatch v-" + v }),
          counted(n, { engine: name, verdict: v }, " " + word(v)),
        ),
      ),
      el("li", { class: "muted" }, "of ", counted(lines.length, { engine: name })),
    ),
    refused ? el("p", { class: "amber" }, "! " + refused) : null,
  );
};

const bar = (counts, total) => {
  const node = el("div", {
    class: "bar",
    role: "img",
    "aria-label": counts.map(([v, n]) => word(v) + " " + n + " of " + total).join(", "),
  });
  for (const [v, n] of counts) {
    const part = el("span", { class: "v-" + v, title: word(v) + " " + n + " of " + total });
    part.style.flexGrow = n;
    node.append(part);
  }
  return node;
};

const legend = () =>
  el(
    "p",
    { class: "legend" },
    "✓ passes · ✗ fails · ! raised an error, hung or crashed, or needs a look · ~ known: fails, and is listed with a reason · ? undecided: no case could tell · – unsupported: not offered, so not judged",
    link("glossary", "", {}, "What the words mean"),
  );

// What the suite can notice: from this run, or else from the release's own record, which says of when it is.
const trust = () => {
  const record = data.release || {};
  const own = selfTest(data.mutants, data.proofs);
  const mutants = own.mutants || record.mutants;
  const proofs = own.proofs || record.proofs;
  return el(
    "aside",
    { class: "card", "aria-label": "What a pass is worth" },
    el("h2", {}, "What a pass is worth"),
    mutants
      ? [
          el("p", { class: "big" }, count(mutants.caught) + " / " + count(mutants.of)),
          el("p", {}, "faults planted in the reference engine that the checks find (mutants)."),
        ]
      : note("The record of this release has no self-test. Run one: ", el("code", {}, "conformance selftest -o selftest.jsonl")),
    ...data.generated.map((s) =>
      el("p", {}, count(s.killed) + " / " + count(s.of) + " of the mutants made by program (" + s.kind + ", " + s.profile + ")."),
    ),
    proofs
      ? [
          el("p", {}, plural(proofs.count, "rule") + " proven without using the rule; the worst relative disagreement is " + digits(proofs.worst, 2) + "."),
        ]
      : null,
    record.coverage ? el("p", {}, coverageText(record.coverage)) : null,
    [...new Set([mutants, proofs, record.coverage].filter((part) => part).map(from))].map((text) => note(text)),
    el("p", {}, link("about", "", {}, "Mutants and proofs")),
  );
};
const coverageText = (c) =>
  "The cases of profile " + short(c.profile, 20) + " reach " + count(c.levels[0]) + " of the " + count(c.levels[1]) + " levels of the factors of " + plural(c.ops, "op") +
  " (shapes, parameters, broadcasting …), and " + count(c.pairs[0]) + " of " + count(c.pairs[1]) + " pairs of levels.";
const from = (part) =>
  !part.date
    ? "From this run."
    : "Recorded with the release on " + short(part.date, 12) + ", specification " + short(part.digest, 20) + (part.digest === data.run.spec.digest ? "." : "; this run's is " + short(data.run.spec.digest, 20) + ".");
const selfTest = (mutants, proofs) => ({
  mutants: mutants.length ? { caught: mutants.filter((m) => m.killers.length).length, of: mutants.length } : null,
  proofs: proofs.length ? { count: proofs.length, worst: Math.max(...proofs.map((p) => num(p.error))) } : null,
});

const furtherQuestions = () => {
  const firsts = engineNames().map((name) => modes(name)[0]);
  const [a, b] = firsts.length > 2 ? firsts.slice(1) : firsts;
  return el(
    "section",
    { class: "card" },
    el("h2", {}, "Other questions"),
    el(
      "ul",
      { class: "questions" },
      b ? el("li", {}, link("differ", "", { a, b }, "Where do " + short(a, 20) + " and " + short(b, 20) + " differ?")) : null,
      el("li", {}, link("compare", "", {}, "What changed since another run?")),
      el("li", {}, link("timing", "", {}, "How fast is each engine?")),
      el("li", {}, link("matrix", "", {}, "What holds where, op by op?")),
    ),
  );
};

const passNow = () => {
  const lines = data.results.filter((r) => r.verdict === "fixed");
  if (!lines.length) return null;
  return el(
    "section",
    {},
    el("h2", {}, "Pass now"),
    note("Listed as known failures, but passing: remove them from the known-failures file."),
    el("ul", { class: "jump" }, lines.slice(0, 50).map(resultRow)),
    lines.length > 50 ? el("p", {}, counted(lines.length, { verdict: "fixed" }, " in all")) : null,
  );
};
