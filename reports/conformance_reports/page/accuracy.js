// Accuracy: how far each engine is from the rule, entry by entry: divided by what is allowed, and in units in the last place.

// The counts of a result, in the order of its bins; the last is beyond what is allowed.
const POWERS = [256, 128, 64, 32, 16, 8, 4, 2];
const BINS = ["exact", ...POWERS.map((n) => "≤ 1/" + n), "≤ 1, the limit", "✗ more"];
// A file that is older than the counts has the error where it is worst beside what is allowed, and no typical one.
const exactness = (r) => {
  const found = details.accuracy[r.at];
  if (found) return { where: "", typical: Infinity, worst: Infinity, ...found };
  return typeof r.ulp === "number" ? { where: "", worst: r.ulp } : null;
};

const accuracy = (main, { parameters }) => {
  put(main, el("h1", {}, "Accuracy"));
  const measured = data.results.filter((r) => r.kind === "op" && exactness(r));
  if (!measured.length) {
    put(main, note("– not run: no result of this run has an accuracy."));
    return;
  }
  const kept = (name, lines, usual) => {
    const options = [...new Set(lines.map((r) => r[name]))].sort();
    const value = options.includes(parameters[name]) ? parameters[name] : usual(options);
    return [options, value, lines.filter((r) => r[name] === value)];
  };
  const [dtypes, dtype, ofDtype] = kept("dtype", measured, (all) => all[all.length - 1]);
  const [checks, check, lines] = kept("check", ofDtype, (all) => (all.includes("vjp") ? "vjp" : all[0]));
  const subjects = [...new Set(lines.map((r) => r.subject))].sort();
  const op = subjects.includes(parameters.op) ? parameters.op : "";
  const engine = engineNames().includes(parameters.engine) ? parameters.engine : "";
  const chosen = { dtype, check, op, engine };
  const pick = (name) => (value) => {
    location.hash = address("accuracy", "", { ...chosen, [name]: value });
  };
  const shown = lines.filter((r) => (!op || r.subject === op) && (!engine || engineName(r.backend) === engine));
  put(
    main,
    el(
      "p",
      { class: "lead" },
      "How far the entries of values and gradients are from the exact ones. These numbers decide no verdict; the allowed error does.",
    ),
    form(
      select("dtype", dtypes, dtype, pick("dtype")),
      select("check", checks, check, pick("check")),
      select("op", [["", "all ops"], ...subjects], op, pick("op")),
      select("engine", [["", "all"], ...engineNames()], engine, pick("engine")),
    ),
    el("h2", {}, "Error divided by the allowed error"),
    histograms(shown),
    el("h2", {}, "By op, " + short(check, 40) + " in " + short(dtype, 20)),
    note(
      "In ulp at the conditioning of the case: one is the last place of the exact entry or, where that is more, ",
      "the change of the entry when the operands change by one. The mark is of the worst entry, the faint one of the ",
      "typical (the median); the number leads to where the worst is.",
    ),
    ulps(shown),
  );
};

// ---- how close to the limit ----------------------------------------------------------------------------

const histograms = (lines) => {
  const of = group(
    lines.filter((r) => details.accuracy[r.at]),
    (r) => r.backend,
  );
  if (!of.size) return note("– not run: the run file is older than the counts of entries.");
  return el(
    "div",
    { class: "multiples" },
    backends.filter((b) => of.has(b)).map((b) => histogram(b, of.get(b))),
  );
};

const histogram = (name, lines) => {
  const counts = BINS.map((_, i) => lines.reduce((sum, r) => sum + (details.accuracy[r.at].bins[i] || 0), 0));
  const entries = counts.reduce((a, b) => a + b, 0);
  const most = Math.max(1, ...counts);
  return el(
    "section",
    { class: "card" },
    el("h3", {}, short(name, 40)),
    note(
      "Of " + (entries === 1 ? "1 entry" : count(entries) + " entries") + " in " + plural(lines.length, "result") + ".",
    ),
    el(
      "ul",
      { class: "bins" },
      BINS.map((text, i) => {
        const bar = el("span", { class: i === BINS.length - 1 ? "v-fail" : "v-pass" });
        bar.style.width = (100 * counts[i]) / most + "%";
        return el(
          "li",
          {},
          el("span", {}, text),
          el("span", { class: "track" }, bar),
          el("span", {}, count(counts[i])),
        );
      }),
    ),
  );
};

// ---- how far, op by op ---------------------------------------------------------------------------------

const ulps = (lines) => {
  const names = backends.filter((b) => lines.some((r) => r.backend === b));
  const finite = lines.map((r) => exactness(r).worst).filter(Number.isFinite);
  const x = logScale(0.01, Math.max(10, ...finite) * 1.5, 10, 590);
  const far = (of) => Math.max(...of.map((r) => exactness(r).worst));
  const rows = [...group(lines, (r) => r.subject)].sort((a, b) => far(b[1]) - far(a[1]) || natural(a[0], b[0]));
  return [
    chartLegend(names),
    table(
      "Accuracy by op",
      ["op", axis(x), ...names.map((b) => short(b, 24) + ", typical · worst")],
      rows.map(([op, of]) => ulpRow(op, new Map(of.map((r) => [r.backend, r])), names, x)),
      "ulps",
    ),
  ];
};

const axis = (x) =>
  svg(
    "svg",
    { viewBox: "0 0 600 18", role: "img", "aria-label": "Errors in ulp, logarithmic" },
    x.ticks.map((v) => svg("text", { x: x.at(v), y: 14, "text-anchor": "middle" }, digits(v, 2))),
  );

// Each backend's mark a little lower than the one before, so that equal errors do not hide each other.
const ulpRow = (op, of, names, x) => {
  const at = (n) => Math.min(598, x.at(Math.max(0.01, n)));
  const height = (b) => 5 + 3 * (series(b) % 6);
  const marks = names
    .filter((b) => of.has(b))
    .map((b) => {
      const { typical, worst } = exactness(of.get(b));
      return [
        typical === undefined ? null : svg("g", { class: "faint" }, marker(b, at(typical), height(b))),
        marker(b, at(worst), height(b)),
      ];
    });
  return el(
    "tr",
    {},
    el("th", { scope: "row" }, op),
    el(
      "td",
      {},
      svg(
        "svg",
        { viewBox: "0 0 600 25", "aria-hidden": "true" },
        x.ticks.map((v) => svg("line", { x1: x.at(v), x2: x.at(v), y1: 0, y2: 25, class: "grid" })),
        marks,
      ),
    ),
    names.map((b) =>
      el("td", {}, of.has(b) ? farness(of.get(b)) : unmeasured(b, of)),
    ),
  );
};

// Why a backend has no figure where another one has: it does not offer the op, it failed before an entry was compared, or was not run.
const unmeasured = (name, of) => {
  const { subject, check, dtype } = [...of.values()][0];
  const own = byId.get([name, "op", subject, check, dtype].join("/"));
  return el("span", { class: "muted" }, "– " + (own ? word(own.verdict) : "not run"));
};

// The typical error and the worst, which leads to the case.
const farness = (r) => {
  const { typical, worst, where } = exactness(r);
  const furthest = toCase(r, digits(worst, 3));
  furthest.title = short(where || "all entries are exact", CLIP);
  return typical === undefined ? furthest : [digits(typical, 2) + " · ", furthest];
};
