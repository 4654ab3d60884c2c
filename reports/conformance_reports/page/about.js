// About this run: what was measured with what, what was left out and why, and why the suite itself may be believed.

const about = (main) => {
  const run = data.run;
  main.append(
    el("h1", {}, "About this run"),
    el(
      "section",
      {},
      el("h2", {}, "Run"),
      facts([
        ["id", run.id],
        ["started", run.started],
        [
          "state",
          data.complete ? "✓ complete" : el("span", { class: "amber" }, "! not complete: " + data.damage),
        ],
        ["profile", run.profile],
        ["seed", String(run.seed)],
        ["specification", run.spec.version],
        ["digest", run.spec.digest],
        ["queries", (run.queries || []).join(", ") || "everything"],
      ]),
    ),
    el("section", {}, el("h2", {}, "Machine"), facts(Object.entries(run.host).map(([k, v]) => [k, v]))),
    el("section", {}, el("h2", {}, "Engines and their modes"), backendTable()),
    el("section", {}, el("h2", {}, "What was not run, and why"), leftOut()),
    el("section", {}, el("h2", {}, "Cases per check"), casesPerCheck()),
    el("section", {}, el("h2", {}, "Mutants: engines wrong on purpose"), killMatrix()),
    el("section", {}, el("h2", {}, "Proofs of the rules"), proofTable()),
  );
};

const backendTable = () =>
  table(
    "Backends",
    ["engine and mode", "version", "capabilities", "conventions"],
    backends.map((b) => {
      const line = engines.get(b) || {};
      return el(
        "tr",
        {},
        el(
          "th",
          { scope: "row" },
          b,
          line.error ? el("p", { class: "amber" }, "! could not start: " + line.error) : null,
        ),
        el("td", {}, engineOf(b)),
        el("td", {}, (line.capabilities || []).map((c) => c.replaceAll("_", " ")).join(", ") || "–"),
        el("td", {}, declared(b, Object.keys(line.conventions || {}).length)),
      );
    }),
  );

// A convention stands beside the sentence of its clause on the page of the engine.
const declared = (backend, n) => (n ? link("engine", engineName(backend), {}, plural(n, "convention")) : "–");

const leftOut = () => {
  const out = data.results.filter((r) => tone(r.verdict) === "none");
  if (!out.length) return note("Every result was judged.");
  const groups = [...group(out, (r) => JSON.stringify([r.backend, r.verdict, reason(r)])).values()].sort(
    (a, b) => b.length - a.length,
  );
  return [
    note(count(out.length) + " of " + plural(data.results.length, "result") + " not judged."),
    table(
      "Not run",
      ["engine and mode", "verdict", "reason", "results", "ops, rules or points"],
      groups.slice(0, 300).map((of) => {
        const subjects = [...new Set(of.map((r) => r.subject))];
        return el(
          "tr",
          {},
          el("th", { scope: "row" }, of[0].backend),
          el("td", {}, badge(of[0].verdict)),
          el("td", {}, reason(of[0]) || "no reason given"),
          el("td", { class: "n" }, counted(of.length, { backend: of[0].backend, verdict: of[0].verdict, q: reason(of[0]).slice(0, 80) })),
          el(
            "td",
            {},
            short(
              subjects.slice(0, 12).join(", ") +
                (subjects.length > 12 ? " and " + (subjects.length - 12) + " more" : ""),
              400,
            ),
          ),
        );
      }),
    ),
  ];
};

const casesPerCheck = () => {
  const checks = [...group(data.results, (r) => JSON.stringify([r.clause, r.check])).values()].sort(
    (a, b) => natural(a[0].clause, b[0].clause) || natural(a[0].check, b[0].check),
  );
  const sum = (lines, b) => {
    const judged = lines.filter((r) => r.backend === b && tone(r.verdict) !== "none");
    const cases = judged.reduce((n, r) => n + r.cases, 0);
    // A check that judged without seeing a case has shown nothing.
    return el(
      "td",
      { class: "n" },
      judged.length
        ? cases
          ? count(cases)
          : el("span", { class: "amber" }, "! 0")
        : el("span", { class: "muted" }, "–"),
    );
  };
  return table(
    "Cases per check",
    ["clause", "check", ...backends.map((b) => short(b, 24))],
    checks.slice(0, 1000).map((of) =>
      el(
        "tr",
        {},
        el("td", {}, clauseLine(of[0].clause)),
        el("th", { scope: "row" }, of[0].check),
        backends.map((b) => sum(of, b)),
      ),
    ),
  );
};

const killMatrix = () => {
  const of = data.mutants.length;
  if (!of) return recordOf("mutants", "conformance selftest -o selftest.jsonl");
  const caught = data.mutants.filter((m) => m.killers.length).length;
  const few = (names) =>
    short(
      names
        .slice(0, 6)
        .map((c) => c)
        .join(", ") + (names.length > 6 ? " and " + (names.length - 6) + " more" : ""),
      400,
    );
  return [
    el("p", {}, el("b", {}, count(caught) + " of " + count(of)), " caught."),
    table(
      "Kill matrix",
      ["", "mutant", "wrong in", "must be caught by", "also caught by"],
      data.mutants.map((m) =>
        el(
          "tr",
          {},
          el(
            "td",
            {},
            el(
              "span",
              { class: "badge " + (m.killers.length ? "good" : "bad") },
              m.killers.length ? "✓ caught" : "✗ survived",
            ),
          ),
          el("th", { scope: "row" }, m.name),
          el("td", {}, m.wrong),
          el(
            "td",
            {},
            m.named.map((c) =>
              el(
                "div",
                { class: m.killers.includes(c) ? "" : "amber" },
                (m.killers.includes(c) ? "✓ " : "✗ ") + c,
              ),
            ),
          ),
          el("td", { class: "muted" }, few(m.killers.filter((c) => !m.named.includes(c))) || "–"),
        ),
      ),
    ),
  ];
};

const proofTable = () => {
  if (!data.proofs.length) return recordOf("proofs", "conformance list ops --proofs -o proofs.jsonl");
  const lines = [...data.proofs].sort((a, b) => num(b.error) - num(a.error));
  return [
    note("Each rule against an oracle that does not use it; the worst relative disagreement first."),
    table(
      "Proofs",
      ["op", "oracle", "worst disagreement", "cases"],
      lines.map((p) =>
        el(
          "tr",
          {},
          el("th", { scope: "row" }, p.op),
          el("td", {}, p.oracle),
          el("td", { class: "n" }, digits(p.error, 2)),
          el("td", { class: "n" }, count(p.cases)),
        ),
      ),
    ),
  ];
};

// What this run did not measure, from the release's own record, which says of when it is.
const recordOf = (what, command) => {
  const record = data.release && data.release[what];
  if (!record) return note("– not in this run, and not in the record of this release. Measure it: ", el("code", {}, command));
  const numbers = what === "mutants" ? count(record.caught) + " of " + count(record.of) + " caught." : plural(record.count, "rule") + " proven over " + plural(record.cases, "case") + "; worst relative disagreement " + digits(record.worst, 2) + " (" + short(record.op, 40) + ").";
  return [el("p", {}, numbers), note("Not from this run, but from the record of the release: " + short(record.date, 12) + ", specification " + short(record.digest, 20) + (record.digest === data.run.spec.digest ? ", which is this run's." : "; this run's is " + short(data.run.spec.digest, 20) + "."))];
};
