// Accuracy: how far each engine is from the rule, in units in the last place, and how close to the limit.

const accuracy = (main, { parameters }) => {
  put(main, el("h1", {}, "Accuracy"));
  const measured = data.results.filter((r) => r.kind === "op" && typeof r.ulp === "number");
  if (!measured.length) {
    put(main, note("– not run: no result of this run has an accuracy."));
    return;
  }
  const dtypes = [...new Set(measured.map((r) => r.dtype))].sort();
  const dtype = dtypes.includes(parameters.dtype) ? parameters.dtype : dtypes[dtypes.length - 1];
  const lines = measured.filter((r) => r.dtype === dtype);
  const names = backends.filter((b) => lines.some((r) => r.backend === b));
  const high = Math.max(10, ...lines.map((r) => r.ulp));
  const x = logScale(0.1, high * 1.5, 10, 590);
  const ops = [...group(lines, (r) => r.subject)]
    .map(([op, of]) => ({ op, of, top: Math.max(...of.map((r) => r.ulp)) }))
    .sort((a, b) => b.top - a.top);
  put(
    main,
    el(
      "p",
      { class: "lead" },
      "The worst error of each op in units in the last place, the widest first. A number to know, not to pass.",
    ),
    form(
      select("dtype", dtypes, dtype, (d) => {
        location.hash = address("accuracy", "", { dtype: d });
      }),
    ),
    histogram(),
    el("h2", {}, "By op, " + dtype),
    chartLegend(names),
    table(
      "Accuracy by op",
      ["op", axis(x), ...names.map((b) => short(b, 24) + ", ulp")],
      ops.map(({ op, of }) => accuracyRow(op, of, names, x)),
      "ulps",
    ),
  );
};

const axis = (x) =>
  svg(
    "svg",
    { viewBox: "0 0 600 18", role: "img", "aria-label": "Errors in ulp, logarithmic" },
    x.ticks.map((v) => svg("text", { x: x.at(v), y: 14, "text-anchor": "middle" }, digits(v, 2))),
  );

const accuracyRow = (op, of, names, x) => {
  const top = new Map(
    names.map((b) => [b, of.filter((r) => r.backend === b).sort((p, q) => q.ulp - p.ulp)[0]]),
  );
  // Each backend's mark a little lower than the one before, so that equal errors do not hide each other.
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
        names
          .filter((b) => top.get(b))
          .map((b) => marker(b, x.at(Math.max(0.1, top.get(b).ulp)), 5 + 3 * (series(b) % 6))),
      ),
    ),
    names.map((b) =>
      el(
        "td",
        {},
        top.get(b)
          ? toCase(top.get(b), digits(top.get(b).ulp, 3))
          : el("span", { class: "muted" }, "– not run"),
      ),
    ),
  );
};

// Error over allowance of every result that has one, in decades: how much room the allowance leaves.
const histogram = () => {
  const errors = data.results.filter((r) => typeof r.error === "number").map((r) => r.error);
  if (!errors.length) return null;
  const limits = [
    [0, "0"],
    [1e-3, "to 0.001"],
    [1e-2, "to 0.01"],
    [0.1, "to 0.1"],
    [0.5, "to 0.5"],
    [1, "to 1, the limit"],
    [10, "to 10"],
    [Infinity, "beyond"],
  ];
  const bins = limits.map(([limit, text], i) => [
    text,
    errors.filter((e) => e <= limit && (i === 0 || e > limits[i - 1][0])).length,
    limit > 1,
  ]);
  const most = Math.max(...bins.map((b) => b[1]));
  return el(
    "section",
    { class: "card" },
    el("h2", {}, "Error over allowance"),
    note("Of " + plural(errors.length, "result") + " with an error."),
    el(
      "ul",
      { class: "bins" },
      bins.map(([text, n, over]) => {
        const fillUp = el("span", { class: over ? "v-fail" : "v-pass" });
        fillUp.style.width = (100 * n) / most + "%";
        return el(
          "li",
          {},
          el("span", {}, (over ? "✗ " : "") + text),
          el("span", { class: "track" }, fillUp),
          el("span", {}, count(n)),
        );
      }),
    ),
  );
};
